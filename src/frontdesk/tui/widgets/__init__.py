"""The widgets: each draws what it is given and reports keys; none knows the app."""
