import { useFramePreferences, type Theme } from "../preferences";
import { LANGUAGE_NAMES, useWords, type Language } from "../strings";

const THEMES: Theme[] = ["auto", "light", "dark"];

/** The language of the page and its appearance, as this browser keeps them. */
export function PreferenceFields({ className }: { className?: string }) {
  const { t } = useWords();
  const preferences = useFramePreferences();
  return (
    <>
      <label className={className}>
        <span>{t("nav.language")}</span>
        <select
          value={preferences.language}
          onChange={(event) => preferences.chooseLanguage(event.target.value as Language)}
        >
          {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className={className}>
        <span>{t("nav.theme")}</span>
        <select value={preferences.theme} onChange={(event) => preferences.chooseTheme(event.target.value as Theme)}>
          {THEMES.map((theme) => (
            <option key={theme} value={theme}>
              {t(`theme.${theme}`)}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
