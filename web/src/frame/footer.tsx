import type { Preferences, Theme } from "../preferences";
import { LANGUAGE_NAMES, useWords, type Language } from "../strings";

const THEMES: Theme[] = ["auto", "light", "dark"];

export function Footer({ preferences }: { preferences: Preferences }) {
  const { t } = useWords();
  return (
    <footer className="footer">
      <p>{t("app.tagline")}</p>
      <label>
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
      <label>
        <span>{t("nav.theme")}</span>
        <select value={preferences.theme} onChange={(event) => preferences.chooseTheme(event.target.value as Theme)}>
          {THEMES.map((theme) => (
            <option key={theme} value={theme}>
              {t(`theme.${theme}`)}
            </option>
          ))}
        </select>
      </label>
    </footer>
  );
}
