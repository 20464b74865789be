"""What can go wrong with words that programs read in files, and the test of each."""

import ast
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

TESTS = Path(__file__).parent
READING, TEXTS = "service/test_media_reading.py", "store/test_media_texts.py"
SETTINGS, REAL = "cli/test_reader_settings.py", "service/test_real_readers.py"
SEARCH, COMMANDS = "service/test_searching_messages.py", "cli/test_media_commands.py"

CASES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "silence, music, 0.3 seconds of sound": (READING, "silence_is_no_failure"),
        "a language for each channel": (
            READING,
            "nothing_that_a_stranger_wrote_is_in_an_argument_and_no_secret_in_the_environment",
        ),
        "a very long note; a size that nobody told; 300 megapixels": (
            READING,
            "files_that_are_over_a_limit_are_refused_before_a_program_runs",
        ),
        "the same file from a hundred customers": (
            READING,
            "the_same_bytes_are_read_once_for_all_messages",
        ),
        "one of whom is erased": (
            TEXTS,
            "words_of_bytes_that_many_sent_are_erased_for_one_and_kept_for_the_others",
        ),
        "a message deleted during a run": (
            READING,
            "a_message_that_is_deleted_while_a_program_runs_has_no_words",
        ),
        "a conversation erased during a run": (
            TEXTS,
            "a_conversation_that_is_erased_while_a_file_is_read_gets_no_words",
        ),
        "a file purged before it is copied": (
            READING,
            "a_file_that_was_removed_meanwhile_is_final",
        ),
        "a file purged after it was read": (TEXTS, "words_outlive_their_file"),
        "another file by an edit": (TEXTS, "a_file_that_an_edit_replaces_is_read_anew"),
        "messages that exchange their files during a run": (
            TEXTS,
            "words_go_where_their_file_is_when_they_come",
        ),
        "two hosts whose clocks differ": (
            TEXTS,
            "a_file_is_claimed_once_and_again_when_the_claim_of_a_killed_worker_ends",
        ),
        "two workers": (READING, "two_workers_read_each_file_once"),
        "a service that is killed": (READING, "no_program_outlives_a_service_that_is_killed"),
        "and its claims": (
            READING,
            "what_a_killed_worker_had_claimed_is_read_as_soon_as_another_starts",
        ),
        "a service that is stopped": (
            READING,
            "a_service_that_is_stopped_ends_programs_and_gives_claims_back",
        ),
        "a program that hangs": (
            READING,
            "a_program_that_hangs_is_ended",
        ),
        "a daemon that holds the output open": (
            READING,
            "a_program_that_leaves_another_with_its_output_open_is_not_waited_for",
        ),
        "an output without end": (READING, "a_very_long_output_is_cut_and_says_so"),
        "and its gap": (
            READING,
            "blank_lines_of_a_long_output_bring_no_line_of_ours_into_the_text",
        ),
        "bytes, sequences, directions, progress by carriage returns": (
            READING,
            "bytes_that_are_no_text_and_sequences_for_terminals_are_made_harmless",
        ),
        "a text in a file": (READING, "a_program_that_writes_a_file_is_read_from_it"),
        "a link or a pipe instead": (READING, "what_is_no_file_of_the_folder_is_not_read"),
        "an error printed as if it were words": (
            READING,
            "an_error_that_is_printed_as_words_rests_the_reader",
        ),
        "words and a failure; a killed program": (
            READING,
            "a_program_that_fails_is_run_again_with_pauses_and_then_given_up",
        ),
        "a model that is missing": (
            READING,
            "a_missing_model_does_not_spend_the_attempts_of_every_file",
        ),
        "too many requests elsewhere": (READING, "later_is_no_failure_and_rests_the_reader"),
        "a damaged PDF": (REAL, "a_damaged_pdf_fails_with_what_the_program_says"),
        "a scanned PDF": (REAL, "a_pdf_is_read_by_pdftotext_and_a_scanned_one_by_the_next_reader"),
        "stickers, videos, files of the business": (
            READING,
            "a_reader_is_chosen_by_what_the_file_is_and_not_by_what_it_is_called",
        ),
        "a photographed passport": (
            SEARCH,
            "words_of_files_are_seen_and_found_by_keys_that_may_read_files",
        ),
        "words that come after the message was seen": (
            READING,
            "words_of_a_file_are_stored_with_who_read_them_and_clients_are_told",
        ),
        "a better reader that gives nothing": (
            READING,
            "a_better_reader_replaces_a_text_and_a_worse_one_does_not",
        ),
        "an interrupted run over all": (
            TEXTS,
            "marks_of_an_operator_are_rows_and_outlive_an_interruption",
        ),
        "a letter left in the database": (
            TEXTS,
            "no_word_of_a_file_is_left_in_the_database",
        ),
        "a mistake in the file of readers": (
            SETTINGS,
            "a_mistake_is_told_with_what_is_allowed",
        ),
        "all of it at once": (
            COMMANDS,
            "a_photo_goes_from_the_webhook_to_the_key_and_goes_when_its_sender_deletes_it",
        ),
    }
)


def test_each_case_has_its_test() -> None:
    named = {
        path: {
            node.name.removeprefix("test_")
            for node in ast.walk(ast.parse((TESTS / path).read_text("utf-8")))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for path, _ in CASES.values()
    }
    assert [case for case, (path, name) in CASES.items() if name not in named[path]] == []
