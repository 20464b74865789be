"""Text for people: cleaned, times, dates, phone numbers, messages, and how it is searched."""
