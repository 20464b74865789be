"""`frontdesk db`: creates, migrates, checks and fills databases."""

from frontdesk.cli.base import group


@group(
    "db",
    "frontdesk db init --database inbox.db",
    "frontdesk db sample --database big.db --conversations 100000",
    lazy={
        "business-hours": "frontdesk.cli.commands.business_hours:business_hours_command",
        "check": "frontdesk.cli.commands.check:check_command",
        "init": "frontdesk.cli.commands.init:init_command",
        "sample": "frontdesk.cli.commands.sample:sample_command",
        "upgrade": "frontdesk.cli.commands.init:upgrade_command",
    },
)
def db_group() -> None:
    """Set up, upgrade and check a database; business hours."""
