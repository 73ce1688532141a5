"""The German catalogue: notices, and what a report says on its own account."""

_WORDS = """
aber alle als am auf aus bei bis das dem den der des die durch ein eine einem einen
einer eines es für gibt hat ich im ihre ist kann kein keine können man mehr mit nach
nicht oder ohne sein sich sie sind soll sollen sollte über um und uns unser unsere vom
von vor wann warum was welche welchem welchen welcher welches wer werden wie wieso
wieviel viel viele wir wird wo zu zum zur zwischen
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
"""Words that show a text to be German."""

_NOTICES = {
    "run-unfinished": "Dies ist ein Entwurf: Der Lauf ist noch nicht zu Ende ({status}).",
    "run-failed": "Dieser Lauf scheiterte: Der Bericht ist nicht fertig.",
    "run-rejected": "Dieser Lauf wurde vor seinem Ende abgelehnt: Der Bericht ist nicht fertig.",
    "run-cancelled": "Dieser Lauf wurde vor seinem Ende abgebrochen: Der Bericht ist nicht fertig.",
    "run-partial": "Dieser Lauf ist unvollständig: Ein Teil der Arbeit fehlt.",
    "rejection": "{by} lehnte ab: „{text}“",
    "rejection-unnamed": "Der Grund: „{text}“",
    "phase-failed": "{phase} scheiterte: {reason}",
    "phase-partial": "{phase} ist unvollständig: {reason} | {phase} sind unvollständig: {reason}",
    "phase-incomplete": "{phase} ist unvollständig: Es fehlt ein Ergebnis von {without}."
    " | {phase} sind unvollständig: Es fehlt ein Ergebnis von {without}.",
    "phase-skipped": "{phase} wurde nicht getan: {reason} | {phase} wurden nicht getan: {reason}",
    "phase-blocked": "{phase} wurde nicht getan: Das Ergebnis von {without} fehlt."
    " | {phase} wurden nicht getan: Das Ergebnis von {without} fehlt.",
    "phase-unchecked": "{phase} kam ohne eine Prüfung aus: {reason}"
    " | {phase} kam ohne Prüfungen aus: {reason}",
    "searches-unmade": "{phase}: Von den {of} Suchen des Plans wurde eine nicht gemacht: {names}"
    " | {phase}: Von den {of} Suchen des Plans wurden {n} nicht gemacht: {names}",
    "report-insufficient": "Der Bericht hat seine Prüfung nicht bestanden: {reason}.",
    "budget-ended": "{phase} endete früher: Das Budget des Laufs war verbraucht.",
    "budget-ended-reading": "{phase} endete nach {n} Seite, weil das Budget des Laufs verbraucht war."
    " | {phase} endete nach {n} Seiten, weil das Budget des Laufs verbraucht war.",
    "time-ended": "{phase} endete früher: Seine Zeit war verbraucht.",
    "time-ended-reading": "{phase} endete nach {n} Seite, weil seine Zeit verbraucht war."
    " | {phase} endete nach {n} Seiten, weil seine Zeit verbraucht war.",
    "steps-undone": "Ein Schritt des Plans wurde nicht getan: {steps}."
    " | {n} Schritte des Plans wurden nicht getan: {steps}.",
    "no-report": "Dieser Lauf schrieb keinen Bericht: Gezeigt wird, was seine Phasen ergaben.",
    "no-result": "Dieser Lauf endete, bevor irgendetwas von einem Bericht geschrieben war.",
    "collections-reading": "{done} von {n} Dokumenten deiner Sammlungen sind gelesen.",
    "collection-unread": "{unread} von {n} Dokumenten von „{collection}“ sind noch nicht erfasst: Keine Suche fand sie.",
    "collection-gone": "Die Sammlung „{collection}“ wurde gelöscht: Keine Suche fand ihre Dokumente.",
    "documents-failed": "Ein Dokument von „{collection}“ ist nicht lesbar, und keine Suche fand es: {names}."
    " | {n} Dokumente von „{collection}“ sind nicht lesbar, und keine Suche fand sie: {names}.",
    "files-unopened": "Eine Datei von dir wurde nicht geöffnet, und der Bericht zitiert nichts aus ihr: {names}"
    " | {n} deiner {of} Dateien wurden nicht geöffnet, und der Bericht zitiert nichts aus ihnen: {names}",
    "unread-pages-without-text": "{name}: {n} Seite[ von {of}] ist ein Bild ohne Text[: {names}]"
    " | {name}: {n}[ von {of}] Seiten sind Bilder ohne Text[: {names}]",
    "unread-pages-cut": "{name}: {n} Seite[ von {of}] wurde nicht gelesen, weil das Dokument zu lang ist[: {names}]"
    " | {name}: {n}[ von {of}] Seiten wurden nicht gelesen, weil das Dokument zu lang ist[: {names}]",
    "unread-text-cut": "{name}: {n} Zeichen[ von {of}] wurde nicht gelesen, weil der Text zu lang ist"
    " | {name}: {n}[ von {of}] Zeichen wurden nicht gelesen, weil der Text zu lang ist",
    "unread-images": "{name}: {n} Bild[ von {of}] wurde nicht gelesen[: {names}]"
    " | {name}: Von den Bildern wurden {n}[ von {of}] nicht gelesen[: {names}]",
    "unread-slides-hidden": "{name}: {n} Folie[ von {of}] ist verborgen und wurde nicht gelesen[: {names}]"
    " | {name}: Von den Folien sind {n}[ von {of}] verborgen und wurden nicht gelesen[: {names}]",
    "unread-sheets-hidden": "{name}: {n} Tabellenblatt[ von {of}] ist verborgen und wurde nicht gelesen[: {names}]"
    " | {name}: Von den Tabellenblättern sind {n}[ von {of}] verborgen und wurden nicht gelesen[: {names}]",
    "unread-rows-hidden": "{name}: {n} Zeile[ von {of}] ist verborgen und wurde nicht gelesen[: {names}]"
    " | {name}: Von den Zeilen sind {n}[ von {of}] verborgen und wurden nicht gelesen[: {names}]",
    "unread-columns-hidden": "{name}: {n} Spalte[ von {of}] ist verborgen und wurde nicht gelesen[: {names}]"
    " | {name}: Von den Spalten sind {n}[ von {of}] verborgen und wurden nicht gelesen[: {names}]",
    "unread-sheets-cut": "{name}: {n} Tabellenblatt[ von {of}] wurde nicht gelesen[: {names}]"
    " | {name}: Von den Tabellenblättern wurden {n}[ von {of}] nicht gelesen[: {names}]",
    "unread-rows-cut": "{name}: {n} Zeile[ von {of}] wurde nicht gelesen[: {names}]"
    " | {name}: {n}[ von {of}] Zeilen wurden nicht gelesen[: {names}]",
    "unread-formulas-without-value": "{name}: {n} Formel[ von {of}] hat keinen gespeicherten Wert[: {names}]"
    " | {name}: {n}[ von {of}] Formeln haben keinen gespeicherten Wert[: {names}]",
    "unread-attachments": "{name}: {n} Anhang[ von {of}] wurde nicht gelesen[: {names}]"
    " | {name}: Von den Anhängen wurden {n}[ von {of}] nicht gelesen[: {names}]",
    "unread-parts-encrypted": "{name}: {n} Teil[ von {of}] ist verschlüsselt und wurde nicht gelesen[: {names}]"
    " | {name}: Von den Teilen sind {n}[ von {of}] verschlüsselt und wurden nicht gelesen[: {names}]",
    "unread-parts-broken": "{name}: {n} Teil[ von {of}] ist beschädigt und wurde nicht gelesen[: {names}]"
    " | {name}: Von den Teilen sind {n}[ von {of}] beschädigt und wurden nicht gelesen[: {names}]",
    "unread-characters-broken": "{name}: {n} Zeichen[ von {of}] war nicht zu entziffern"
    " | {name}: {n}[ von {of}] Zeichen waren nicht zu entziffern",
    "unread-more": "{n} weiteres Dokument wurde nur zum Teil gelesen"
    " | {n} weitere Dokumente wurden nur zum Teil gelesen",
    "warning": "{text}",
}

_REPORT = {
    "question": "Frage",
    "answer": "Antwort",
    "result": "Ergebnis",
    "searched-only": "Gesucht wurde nicht im Web, sondern hier: {scope}. Was hier keine Quelle sagt, kann"
    " anderswo stehen.",
    "pages-cut": "Seiten wurden gekürzt, damit sie in das Kontextfenster von {model} passen ({tokens} Token)",
    "not-researched": "Was die Recherche nicht gefunden hat",
    "in-short": "Kurz gesagt",
    "free": "kostenlos",
    "no-model": "Offline-Ersatz, kein Modell",
    "sources-read": "{n} Quelle gelesen | {n} Quellen gelesen",
    "offline-pages": "Kein Modell wurde gefragt: Greenlights Offline-Ersatz hat diesen Bericht nach Regeln"
    " zusammengestellt, aus den unten genannten Seiten.",
    "offline-no-page": "Kein Modell wurde gefragt: Greenlights Offline-Ersatz hat diesen Bericht nach Regeln"
    " zusammengestellt, ohne eine Seite.",
    "not-written": "Hier steht noch nichts.",
    "would-change": "Was das Ergebnis ändern würde",
    "exhibits": "Tabellen und Diagramme",
    "exhibits-unchecked": "Was ein Agent in eigene Tabellen und Diagramme geschrieben hat, ist seine eigene"
    " Angabe: Nichts davon ist geprüft.",
    "rows-shown": "Die erste Zeile von {of} | Die ersten {n} Zeilen von {of}",
    "assumed": "Was angenommen wurde",
    "caveats": "Was zu bedenken ist",
    "not-found": "Nicht gefunden",
    "not-found-below": "Was nicht gefunden wurde, steht unter „Nicht gefunden“.",
    "unanswered": "Nicht beantwortet: Was hierzu geschrieben wurde, hielt der Prüfung nicht stand",
    "gaps-unchecked": "Niemand hat diese Zeilen an den gelesenen Seiten geprüft.",
    "mark-gap_unchecked": "nicht geprüft",
    "mark-gap_partly": "zum Teil beantwortet",
    "no-evidence": "Zu diesem Abschnitt wurde kein Beleg gefunden.",
    "no-search": "Es wurde nicht gesucht.",
    "searches-failed": "Gescheiterte Suchen ({error}): {queries}.",
    "searches-empty": "Ohne Treffer: {queries}.",
    "searches-near": "Gesucht: {queries}.",
    "searches-other": "Eine Suche wurde gemacht, aber nicht mit diesen Wörtern."
    " | {n} Suchen wurden gemacht, keine mit diesen Wörtern.",
    "found-unused": "Auf einer Seite gefunden und oben nicht verwendet",
    "evidence": "Belege",
    "draft": "Dies ist ein Entwurf, so weit der Lauf gekommen ist. Jede Aussage wurde in dem gefunden, was sie"
    " zitiert.",
    "draft-empty": "Dies ist ein Entwurf, so weit der Lauf gekommen ist. Er enthält keine Aussage.",
    "accounts": "Was unter einer Überschrift abgesetzt ist, ist die eigene Angabe eines Agenten über seine"
    " Arbeit: Nichts davon ist geprüft.",
    "no-claims": "Dieser Bericht enthält keine Aussage.",
    "claims-found": "Die eine Aussage wurde in dem gefunden, was sie zitiert."
    " | Von {n} Aussagen wurde jede in den zitierten Quellen gefunden.",
    "claims-marked": "Die eine Aussage ist markiert: Ihre Quellen zeigen sie nur zum Teil oder nicht."
    " | Markiert sind {bad} von {n} Aussagen ({share}): Ihre Quellen zeigen sie nur zum Teil oder nicht.",
    "judged-none": "Niemand hat beurteilt, ob die Zitate das sagen.",
    "judged-all": "Ein zweiter Leser hat beurteilt, was Wörter und Zahlen allein nicht klären.",
    "judged-some": "Ein zweiter Leser hat beurteilt, was Wörter und Zahlen allein nicht klären; {left}"
    " ({share}) blieben unbeurteilt.",
    "mark-judged": "Urteil",
    "mark-computed": "berechnet",
    "mark-assumed": "aus Annahmen berechnet",
    "mark-partly": "zum Teil belegt",
    "mark-not_shown": "nicht belegt",
    "mark-contradicted": "widerlegt",
    "mark-not_judged": "nicht beurteilt",
    "basis": "Urteil aus",
    "source": "Quelle {n}",
    "bears-on": "zu „{place}“",
    "page": "S. {n}",
    "quoted": "„{text}“",
    "sources": "Quellen",
    "also-read": "Außerdem gelesen",
    "no-page-cited": "Keine Seite wird zitiert.",
}

_DOUBTS = {
    "doubt-uncited": "keine Quelle ist angegeben",
    "doubt-source-unknown": "Quelle {source} gibt es nicht",
    "doubt-quote-missing": "in Quelle {source} steht „{quote}“ nicht",
    "doubt-quote-near": "in Quelle {source} steht „{quote}“ nicht; am nächsten kommt „{near}“",
    "doubt-base-unnamed": "er beruht auf `{base}`, und kein Satz heißt so",
    "doubt-base-shared": "er beruht auf `{base}`, und mehrere Sätze heißen so",
    "doubt-base-fell": "er beruht auf einem Satz, der nicht hielt",
    "doubt-too-long": "die Aussage ist zu lang, um geprüft zu werden",
    "doubt-too-costly": "{error}",
    "doubt-figure-missing": "{shown} steht weder in den gefundenen Zitaten noch folgt es aus ihnen",
    "doubt-figure-differs": "{shown} ist in den Zitaten {quoted}",
    "doubt-figure-misread": "{shown} ist in den Zitaten {quoted}",
    "doubt-year-missing": "das Jahr {shown} steht weder in den Zitaten noch in dem, was über ihnen steht",
    "doubt-date-missing": "das Datum {shown} steht weder in den Zitaten noch um sie herum",
    "doubt-working-wrong": "{error}",
    "doubt-judged": "{text}",
    "doubt-judged-silently": "kein Grund angegeben",
    "doubt-unjudged": "{text}",
    "doubt-judge-silent": "der Prüfer hat ihn übergangen",
    "doubt-judge-failed": "nicht geprüft: {error}",
    "doubt-taken-out": "ein Mensch hat dies aus dem Bericht genommen: es bleibt draußen",
}

WORDS = {**_NOTICES, **_REPORT, **_DOUBTS}
"""The German words of each code."""
