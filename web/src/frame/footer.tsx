import { useRoute } from "wouter";

import { PreferenceFields } from "../parts/preference-fields";
import { useWords } from "../strings";

/** What the page is for, and how it looks; the settings have the latter among themselves. */
export function Footer() {
  const { t } = useWords();
  const [isSettings] = useRoute("/settings");
  return (
    <footer className="footer">
      <p>{t("app.tagline")}</p>
      {!isSettings && <PreferenceFields />}
    </footer>
  );
}
