"""Programs of the user that are run on a conversation, without a screen."""
