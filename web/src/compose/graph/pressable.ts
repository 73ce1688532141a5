import type { KeyboardEvent } from "react";

/** Make of an element what a button is; a button itself cannot be dragged in every browser. */
export const pressable = (onPress: (isByKey: boolean) => void) => ({
  role: "button",
  tabIndex: 0,
  onClick: () => onPress(false),
  onKeyDown(event: KeyboardEvent) {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onPress(true);
  },
});
