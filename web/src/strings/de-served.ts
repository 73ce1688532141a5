import type { Served } from "./served";

/** What the gateway says of itself in English, in German; {…} is a name in it, {question} one more text. */
export const served: Served = {
  titles: {
    recall: { Recall: "Erinnern" },
    clarification: { Clarify: "Klären" },
    idea_generation: { Ideas: "Ideen" },
    planning: { Plan: "Planen" },
    hitl_checkpoint: { Approve: "Zustimmen", "Select an idea": "Idee wählen" },
    retrieval: { Gather: "Sammeln" },
    research: { Research: "Recherchieren" },
    synthesis: { Write: "Schreiben", "Bring both together": "Beides verbinden" },
    validation: { Validate: "Prüfen" },
    crew: { Crew: "Team" },
    analysis: {
      Analyse: "Auswerten",
      "Look at the figures": "Zahlen ansehen",
      "Look at the news": "Nachrichten ansehen",
    },
    decision: { Decide: "Entscheiden" },
    review: { Review: "Begutachten" },
    summary: { "Sum up": "Zusammenfassen" },
    control: { Execute: "Ausführen" },
    one_shot: { Do: "Tun" },
  },
  texts: {
    "Looks up the user's startups, and earlier reports on the same question.":
      "Sucht die Firmen des Benutzers und frühere Berichte zur selben Frage.",
    "Asks two or three questions, each with its reason.": "Stellt zwei oder drei Fragen und sagt, wozu.",
    "Writes ideas, has a critic review them, and chooses the best.":
      "Schreibt Ideen, lässt sie von einem Kritiker prüfen und wählt die beste.",
    "Drafts, reviews and prices the plan for a human to approve.":
      "Entwirft, prüft und bepreist den Plan, dem ein Mensch zustimmt.",
    "Waits for a human's decision.": "Wartet auf die Entscheidung eines Menschen.",
    "Collects a listed company's filings and news; no model takes part.":
      "Sammelt Meldungen und Nachrichten einer Aktiengesellschaft; kein Modell ist beteiligt.",
    "An agent searches and reads what the approved plan asks for.":
      "Ein Agent sucht und liest, was der angenommene Plan verlangt.",
    "Writes the report; code checks every quote, figure, name and date.":
      "Schreibt den Bericht; Code prüft jedes Zitat, jede Zahl, jeden Namen und jedes Datum.",
    "Asks whether cited sources are live, recent and independent; says so in the report.":
      "Fragt, ob zitierte Quellen erreichbar, aktuell und unabhängig sind, und sagt es im Bericht.",
    "A crew of agents does the approved plan's steps, each its own part.":
      "Ein Team von Agenten tut die Schritte des angenommenen Plans, jeder seinen Teil.",
    "Says what follows from what an earlier phase gave, or from a company's figures or news.":
      "Sagt, was aus einer früheren Phase oder aus Zahlen oder Nachrichten einer Firma folgt.",
    "Says what to do about what earlier phases gave, and what would change that.":
      "Sagt, was nach früheren Phasen zu tun ist und was das ändern würde.",
    "Says whether what an earlier phase gave will do, and what to change.":
      "Sagt, ob genügt, was eine frühere Phase gab, und was zu ändern ist.",
    "Says what an earlier phase gave in short; its points show their quotes.":
      "Sagt kurz, was eine frühere Phase gab; jeder Punkt zeigt sein Zitat.",
    "Executes the plan step by step; each is reviewed and, if rejected, repeated.":
      "Führt den Plan Schritt für Schritt aus; jeder wird geprüft und, wenn nötig, wiederholt.",
    "One agent does the task at once, without a plan and without the web.":
      "Ein Agent tut die Aufgabe sofort, ohne Plan und ohne Netz.",
    "Deep research": "Gründliche Recherche",
    "Asks, plans and waits for approval before it reads; every claim shows its quote.":
      "Fragt, plant und wartet auf Zustimmung, bevor sie liest; jede Aussage zeigt ihr Zitat.",
    "Market analysis": "Marktanalyse",
    "Size, competition, customers and strategy, by a crew that starts when you approve.":
      "Größe, Wettbewerb, Kunden und Strategie, von einem Team, das nach deiner Zustimmung beginnt.",
    "Web answer": "Antwort aus dem Netz",
    "Answers a question from the web at once; starting it is the consent to search.":
      "Beantwortet eine Frage sofort aus dem Netz; mit dem Start stimmst du der Suche zu.",
    "Investment analysis": "Aktienanalyse",
    "Weighs a listed company's filings and news; starting it is the consent to search.":
      "Wägt Meldungen und Nachrichten einer Aktiengesellschaft; mit dem Start stimmst du der Suche zu.",
    "Deep research, step by step": "Gründliche Recherche, Schritt für Schritt",
    "Plans, asks you, does the plan step by step.": "Plant, fragt dich, tut den Plan Schritt für Schritt.",
    "Deep research, with you at each step": "Gründliche Recherche, mit dir bei jedem Schritt",
    "Asks you after the plan and after every step.": "Fragt dich nach dem Plan und nach jedem Schritt.",
    "Plan and do": "Planen und tun",
    "Plans and does the plan from what is known, without the web and without your approval.":
      "Plant und tut den Plan aus dem, was bekannt ist, ohne Netz und ohne deine Zustimmung.",
    "Quick task": "Kleine Aufgabe",
    "One agent does it at once: no plan, no web.": "Ein Agent tut es sofort: kein Plan, kein Netz.",
    "Idea generation": "Ideen finden",
    "Writes ideas, has a critic take them apart, and lets you choose one to pursue.":
      "Schreibt Ideen, lässt sie von einem Kritiker zerlegen und dich eine wählen.",
    "From idea to execution": "Von der Idee zur Ausführung",
    "Finds ideas, plans the one you choose, asks you, does the plan step by step.":
      "Findet Ideen, plant die gewählte, fragt dich, tut den Plan Schritt für Schritt.",
    "the sample library": "die Beispielbibliothek",
    "the folder ‘{name}’": "den Ordner „{name}“",
    "searches the web and reads at most 8 pages for this question":
      "sucht im Netz und liest höchstens 8 Seiten zu dieser Frage",
    "reads the filings of each company at the SEC, searches the news on it once and reads at most 20 articles in all":
      "liest die Meldungen jeder Firma bei der SEC, sucht einmal nach Nachrichten über sie und liest insgesamt höchstens 20 Artikel",
  },
  asked: {
    "Approve this plan?": "Diesem Plan zustimmen?",
    "The change raises the price from {before} (at most {before_top}) to {after} (at most {after_top}), which nobody has approved yet. {question}":
      "Die Änderung hebt den Preis von {before} (höchstens {before_top}) auf {after} (höchstens {after_top}); dem hat noch niemand zugestimmt. {question}",
    "Start now?": "Jetzt beginnen?",
    "Accept these results?": "Diese Ergebnisse annehmen?",
    "Your decision, please.": "Deine Entscheidung, bitte.",
    "Select an idea": "Wähle eine Idee",
    "Select an idea to pursue": "Wähle eine Idee, der nachgegangen werden soll",
    "Begin step {number}?": "Schritt {number} beginnen?",
    "Step {number}, ‘{name}’, was not accepted (attempts: {tries}): {reasons}. Accept it as it is, have it done again in your words, or stop?":
      "Schritt {number}, „{name}“, wurde nicht angenommen (Versuche: {tries}): {reasons}. Annehmen, wie er ist, in deinen Worten neu machen lassen, oder aufhören?",
    "Step {number}, ‘{name}’, was not done (attempts: {tries}): {reasons}. Have it done again in your words, or stop?":
      "Schritt {number}, „{name}“, wurde nicht getan (Versuche: {tries}): {reasons}. In deinen Worten neu machen lassen, oder aufhören?",
    "Step {number}, ‘{name}’, is done. Go on?": "Schritt {number}, „{name}“, ist getan. Weiter?",
    "Before the work begins:": "Bevor die Arbeit beginnt:",
    "What else should be known before the work begins?": "Was sollte noch bekannt sein, bevor die Arbeit beginnt?",
    "go on with the question as it is": "mit der Frage weitermachen, wie sie ist",
    "A report on “{query}” was finished on {day}: will it do?":
      "Ein Bericht zu „{query}“ wurde am {day} fertig: Genügt er?",
    "It is “{title}”, of run {run}; it costs nothing.": "Es ist „{title}“ aus Lauf {run} und kostet nichts.",
    "use that report": "diesen Bericht nehmen",
    "research anew": "neu recherchieren",
    "Is this about your startup “{name}”?": "Geht es um dein Start-up „{name}“?",
    "Is this about one of your startups?": "Geht es um eines deiner Start-ups?",
    "It then focuses the plan.": "Dann richtet sich der Plan danach.",
    "none of these": "keines davon",
  },
  added: {
    "Say more, go on as it is, or cancel the run.": "Sag mehr, lass es so weitergehen, oder brich den Lauf ab.",
    "It is about your startup “{name}”.": "Es geht um dein Start-up „{name}“.",
  },
};
