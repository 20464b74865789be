"""Messages, empty lists and prompts of the viewer, with {names} of what is filled in.

Labels of the bars are in `bar_texts`, failures of requests in `connection`, what a server lacks in
`unsupported`, reports in `reports`.
"""

# Application
ONE_INBOX_PER_PAGE = "A page shows one inbox: frontdesk web --profile NAME serves another"
NO_OTHER_PROFILE = "There is no other profile: frontdesk profiles add NAME"
SCREENSHOT_SAVED = "Screenshot {saved}"
TOO_SMALL = "Too small: 40x10 needed, this is {width}x{height}"
SIXTEEN_COLOURS = "This terminal has 16 colours: the other themes need 256 or more"
THEME_OF_DEMO = (
    'The demo does not remember themes. In the configuration: [viewer] theme = "{theme}"'
)
MORE_MISTAKES = "{first} ({count} more: frontdesk config check)"
HOW_TO_QUIT = "Press {key} twice in the list to quit, or {anywhere} anywhere"
PRESS_AGAIN_TO_QUIT = "Press {key} again to quit"

NOT_SIDE_BY_SIDE = "List and thread are not side by side here"
SPLIT_AT_END = "Neither list nor thread can be narrower than this"

# Views
VIEW_SAVED = "Saved as view {key}"
VIEW_SAVED_IN_MENU = "Saved in the menu of views"
VIEW_REPLACES = "{saved}, replacing {name}"
VIEW_OF_DEMO = "{saved}, until the demo ends"
VIEW_NAME_TAKEN = "View {key} is already named {name}: choose another name"
MENU_NAME_TAKEN = "A view without a key is already named {name}: choose another name"
CAN_BE_UNDONE = "{done}. {keys}: undo"
VIEW_REMOVED = "Removed the view {name}"
VIEWS_RESTORED = "Views restored"
SAVING_VIEW = "saving {name}"
REMOVING_VIEW = "removing {name}"
UNDO = "undo {change}"
UNDO_COMMAND = "Undo {change}"
NOT_ONLY_COUNTED = "Shows {shown}"

# The list
MARKED_ABOVE_READ = "Marked {conversations} as read on this computer"
MARKING_READ = "marking {conversations} as read"
READ_MARKS_RESTORED = "Unread again: {conversations}"
NO_FILTER = "No filter to remove. {key}: filter"
NO_ROW = "No row is selected here"
NO_CHANNEL = "No channels are known yet"
MIRROR_IS_FULL = "Not everything fits on this computer: it keeps {kept}. cache_mb gives more room"

# The thread
THREAD_NOT_SHOWN = "The thread is not shown here. {key}: go to the thread"
NO_LATER_DAY = "No later day in this conversation"
NO_EARLIER_DAY = "No earlier day is loaded. {key}: go to a date"
NO_LATER_GROUP = "This is the last group"
NO_EARLIER_GROUP = "This is the first group"
NO_MESSAGES_SINCE = "No messages on or after {day:%Y-%m-%d}"
NO_MESSAGES_ON = "No messages on {day:%Y-%m-%d}: the next are of {next:%Y-%m-%d}"
NO_THREAD = "{problem}. This thread has not been loaded yet."
NO_CONVERSATION = "No conversation is selected"
NO_LINK = (
    "No link here. To open conversations in a web inbox, set [open] conversation in the"
    " configuration"
)
NO_BROWSER = "No browser here. The link is copied: "
NO_MESSAGES = {
    "all": "No messages in this conversation",
    "people": "No messages by people in this conversation",
    "notes": "No notes in this conversation",
    "no system lines": "Only system lines in this conversation",
}
AMONG_LOADED = "{words} among the loaded messages"

# Finding
FIND_IN_PANE = "find in this pane"
FIND_IN_LIST = "find in this list"
NOTHING_TO_FIND_AGAIN = "Nothing to find again. {key}: {find}"
SEARCHING = "Searching for “{text}”… {key}: stop"
FOUND_OF = "Found “{text}”, {number:,} of {total:,}: {next} next match, {previous} previous"
FOUND = "Found “{text}”: {next} next match, {previous} previous"
NO_MATCH = "No match"
NO_MATCH_IN_PANE = "No match for “{text}” in the loaded rows of this pane"
NO_MATCH_IN_LIST = "No match for “{text}” in this list"
NO_MATCH_SHOW_ALL = "No match. {key}: show all"
SEARCH = "Search everything on this computer"
SEARCH_IN = "Search {extent}"
SEARCH_HINT = "words or parts of them; from:ana in:london after:2026-03-14 before:2026-04-01"
SEARCHING_MESSAGES = "Searching…"
NO_MATCH_IN = "No match in {extent}"
FOUND_IN = "{count} found in {extent}"
CUSTOMER = "Customer"
OFFER_KEEPING = "Keep all open conversations on this computer, to search them?"
KEEP_NOTHING = "No, keep what is opened here (this is asked once)"
KEEP_OPEN = "Yes, load them in the background from now on"
KEEPING_NOTHING = "Opened conversations are searched; [mirror] keep changes that"
KEEPING_OPEN = "All open conversations are being loaded in the background"
NOT_IN_THREAD = "This message is no longer in the conversation"
# Files of messages. In place of a picture, or after "not shown".
FILE_PENDING = "Not fetched yet"
FILE_EXPIRED = "No longer available"
FILE_FAILED = "Not available"
FILE_REFUSED = "Not kept by the server"
FILE_REMOVED = "Deleted"
FILE_TOO_LARGE = "Too large"
FILE_NOT_HERE = "Not on this computer"
FILES_FORBIDDEN = "The key may not read files"
PICTURE_UNUSABLE = "Cannot be shown"
NO_PICTURE_OF_FILE = "No preview"
NO_FILE = "There is no file at this message"
FILE_UNAVAILABLE = "The file: {why}"
FILE_OPENED = "{name} is opened by {program}"
FILE_CLOSED = "{name} is not played any more"
CANNOT_OPEN_FILE = "{name} was not opened by {program}: {error}"
FILE_IS_SAVED_ONLY = "Files of an unknown kind are not opened"
NO_OPENER = "No program opens files here"
FILE_SAVED = "{kind} was {saved}"
GO_TO = "Go to"
GO_TO_HINT = "customer, number, view, channel, label, user"
NOT_CONNECTED_YET = "No match. Not connected to the server yet"
SEARCHING_CUSTOMERS = "Searching customers…"
CUSTOMERS_FAILED = "The customer search failed"
MORE_MATCHES = "more…"
NO_MATCH_HERE = "No match here. {problem}"
CONVERSATIONS_OF = "Conversations of {number}"
NO_CUSTOMER = "No customer matches “{text}”. {key}: clear the search"
NO_LOADED_CONTACT = "No loaded contact has “{text}”. A second letter searches all"
NO_CUSTOMER_HERE = "No match for “{text}” on this computer. {key}: clear the search"

# Copying and exporting
NOTHING_TO_COPY = "Nothing to copy here"
COPIED = "Copied: {text}"
NOTHING_TO_EXPORT = "Nothing to export here"
EXPORTING = "Exporting {count:,} conversations… {key} stops"
LIST_EXPORTED = "{conversations} {saved}"
SELECTION_EXPORTED = "{selection} {saved}"
THREADS_EXPORTED = "{selection}, {entries} {saved}"
THREAD_EXPORTED = "{entries} {saved}"
SAVED_AS = "saved as {name} in {directory}"
DOWNLOADED_AS = "downloaded as {name}"
IS_DIRECTORY = "That is a directory"
NO_DIRECTORY = "There is no directory {path}"
FILE_EXISTS = "This file exists: {key} again replaces it"
BAD_NAME = "That name cannot be used: {error}"
NO_DIRECTORY_IN_BROWSER = "Write a name without a directory: the browser chooses the place"
NAME_TOO_LONG = "The name may have at most {most} bytes"
WRONG_ENDING = "The name must end in one of {allowed}"
CANNOT_WRITE = "{path} cannot be written: {error}"

# Lists of the other views
NOT_ALLOWED = "This key may not read {things}."
NEEDS_SCOPE = "{words} It needs the scope {scope}."
NOT_OFFERED = "This server has no {things}."
FAILED = "{problem}. {key}: retry"
NONE = "There are no {things}."
NOT_LOADED = "{problem}. This list has not been loaded yet."
NOT_CONNECTED = "Not connected yet"
NO_VALUES = "No customer on this computer has a value (~)"
NO_VALUES_READ = "No customer whose page was opened has a value here."

# Programs of the user
PIPE_HINT = "a program that reads the thread; ! before it takes the terminal"
NO_PIPE_HERE = "Programs are not piped to on Windows: write them as [[commands]]"
NO_COMMANDS = "There are no own commands: [[commands]] in the configuration names them"
COMMAND_DONE = "{name}: {line}"
COMMAND_FAILED = "{name}: {failure}{line}"
COMMAND_RUNS = "{name} is still running for this conversation"
TOO_MANY_PROGRAMS = "{count} programs are running: wait for one of them"
NEEDS_MESSAGE = "{name} needs a message: go to the thread"
NO_TERMINAL = "{name} needs a terminal, which there is not here"
