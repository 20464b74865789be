"""Adds profiles to the configuration file."""

from frontdesk.cli.config import PROFILE_NAME, Configuration, Profile
from frontdesk.errors import BadSettings


def add_profile(configured: Configuration, profile: Profile, key: str | None, *, use: bool) -> str:
    """Save a profile and its key, replacing one of that name; the first becomes the default.

    Returns a message. Raises: UnusableFile, BadSettings.
    """
    from frontdesk.cli.config import with_profile, with_selected, without_profile
    from frontdesk.cli.key_store import forget_key, keep_key

    text = configuration_text(configured)
    if profile.name in configured.profiles:
        text = without_profile(text, profile.name)
    text = with_profile(text, profile)
    chosen = use or configured.profile in (None, profile.name)
    if chosen:
        text = with_selected(text, profile.name)
    if key is None:
        forget_key(profile.name)
    remark = "" if key is None else f" The key is in {keep_key(profile.name, key)}."
    write_configuration(configured, text)
    opens = "frontdesk" if chosen else f"frontdesk --profile {profile.name}"
    return f"{profile.name} is kept.{remark} It opens with: {opens}"


def check_name(name: str) -> None:
    """Raises: BadSettings: invalid profile name."""
    if not PROFILE_NAME.fullmatch(name):
        raise BadSettings(f"{name!r} is no name: letters, digits, - and _ are, up to 40")


def configuration_text(configured: Configuration) -> str:
    """Return the configuration file's text, or that of a new file.

    Raises: BadSettings: the file is not TOML, so it must not be edited automatically.
    """
    from frontdesk.cli.config import NEW_FILE

    if any(not mistake.place for mistake in configured.mistakes):
        raise BadSettings(f"{configured.path}, {configured.mistakes[0]}")
    try:
        return configured.path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return NEW_FILE


def write_configuration(configured: Configuration, text: str) -> None:
    from frontdesk import private_files

    private_files.save_text(configured.path, text)
