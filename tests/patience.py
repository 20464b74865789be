"""The one bound of a wait: whoever reaches it hangs, on a machine of any speed."""

HANG_SECONDS = 300.0
