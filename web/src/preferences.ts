/** What a reader chose on this machine: language and appearance. */

import { createContext, useContext, useEffect, useState } from "react";

import { LANGUAGE_NAMES, speak, type Language } from "./strings";

export type Theme = "auto" | "light" | "dark";

const LANGUAGE = "greenlight.language";
const THEME = "greenlight.theme";

function recall(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null; // a browser may keep nothing
  }
}

function keep(name: string, value: string) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it holds for this visit
  }
}

function findLanguage(): Language {
  const wanted = [recall(LANGUAGE), ...navigator.languages.map((name) => name.slice(0, 2))];
  return (wanted.find((name) => name !== null && Object.hasOwn(LANGUAGE_NAMES, name)) ?? "en") as Language;
}

function applyTheme(theme: Theme) {
  if (theme === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export function usePreferences() {
  const [language, setLanguage] = useState(() => {
    const found = findLanguage();
    speak(found);
    return found;
  });
  const [theme, setTheme] = useState<Theme>(() => {
    const chosen = (recall(THEME) ?? "auto") as Theme;
    applyTheme(chosen);
    return chosen;
  });
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  return {
    language,
    theme,
    chooseLanguage(chosen: Language) {
      keep(LANGUAGE, chosen);
      speak(chosen);
      setLanguage(chosen);
    },
    chooseTheme(chosen: Theme) {
      keep(THEME, chosen);
      applyTheme(chosen);
      setTheme(chosen);
    },
  };
}

export type Preferences = ReturnType<typeof usePreferences>;

export const PreferencesContext = createContext<Preferences | null>(null);

/** The preferences of the frame around a view. */
export const useFramePreferences = () => useContext(PreferencesContext)!;
