"""Reports: metrics and their labels, periods, exports."""
