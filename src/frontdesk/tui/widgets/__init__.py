"""Widgets: each draws the values it is given and posts messages; none accesses the application."""
