"""The window itself: docks, bars, menus, dialogs."""
