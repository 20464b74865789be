"""Files of conversations and tables, as shell, viewer and reports write them."""
