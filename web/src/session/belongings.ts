/** What this browser keeps of who is signed in: what they wrote and have not sent or saved yet. */

import { setSignedOut } from "./signed-out";

const USER = "greenlight.user";
const WRITTEN = /^greenlight\.(draft|definition)\b/;

function remove(storage: Storage) {
  for (const name of Object.keys(storage)) if (WRITTEN.test(name)) storage.removeItem(name);
}

/** Set the current user, "" without keys; remove the stored input of other users. */
export function enterAs(user: string) {
  try {
    for (const storage of [sessionStorage, localStorage]) {
      if ((storage.getItem(USER) ?? "") === user) continue;
      remove(storage);
      storage.setItem(USER, user);
    }
  } catch {
    // a browser may keep nothing
  }
}

/** Tell whether somebody was signed in here and has not signed out. */
export function hasEntered(): boolean {
  try {
    return Boolean(localStorage.getItem(USER));
  } catch {
    return false;
  }
}

/** Reload with empty fields when somebody signs out or in in another tab. */
export function followOtherTabs() {
  addEventListener("storage", ({ key }) => {
    if (key !== USER) return;
    setSignedOut(true); // no view is left that would write
    setTimeout(() => {
      remove(sessionStorage);
      location.reload();
    });
  });
}
