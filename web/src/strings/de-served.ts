/** What the gateway says of itself in English, in German: phases and definitions that ship with it. */
export const served: Record<string, string> = {
  Recall: "Erinnern",
  "Looks up the user's startups, and earlier reports on the same question.":
    "Sucht die Firmen des Benutzers und frühere Berichte zur selben Frage.",
  Clarify: "Klären",
  "Asks two or three questions, each with its reason.": "Stellt zwei oder drei Fragen und sagt, wozu.",
  Ideas: "Ideen",
  "Writes ideas, has a critic review them, and chooses the best.":
    "Schreibt Ideen, lässt sie von einem Kritiker prüfen und wählt die beste.",
  Plan: "Planen",
  "Drafts, reviews and prices the plan for a human to approve.":
    "Entwirft, prüft und bepreist den Plan, dem ein Mensch zustimmt.",
  Approve: "Zustimmen",
  "Approve this plan?": "Diesem Plan zustimmen?",
  "Waits for a human's decision.": "Wartet auf die Entscheidung eines Menschen.",
  Gather: "Sammeln",
  "Collects a listed company's filings and news; no model takes part.":
    "Sammelt Meldungen und Nachrichten einer Aktiengesellschaft; kein Modell ist beteiligt.",
  Research: "Recherchieren",
  "An agent searches and reads what the approved plan asks for.":
    "Ein Agent sucht und liest, was der angenommene Plan verlangt.",
  Write: "Schreiben",
  "Writes the report; code checks every quote, figure, name and date.":
    "Schreibt den Bericht; Code prüft jedes Zitat, jede Zahl, jeden Namen und jedes Datum.",
  Validate: "Prüfen",
  "Asks whether cited sources are live, recent and independent; says so in the report.":
    "Fragt, ob zitierte Quellen erreichbar, aktuell und unabhängig sind, und sagt es im Bericht.",
  Crew: "Team",
  "A crew of agents does the approved plan's steps, each its own part.":
    "Ein Team von Agenten tut die Schritte des angenommenen Plans, jeder seinen Teil.",
  Analyse: "Auswerten",
  "Says what follows from what an earlier phase gave, or from a company's figures or news.":
    "Sagt, was aus einer früheren Phase oder aus Zahlen oder Nachrichten einer Firma folgt.",
  Decide: "Entscheiden",
  "Says what to do about what earlier phases gave, and what would change that.":
    "Sagt, was nach früheren Phasen zu tun ist und was das ändern würde.",
  Review: "Begutachten",
  "Says whether what an earlier phase gave will do, and what to change.":
    "Sagt, ob genügt, was eine frühere Phase gab, und was zu ändern ist.",
  "Sum up": "Zusammenfassen",
  "Says what an earlier phase gave in short; its points show their quotes.":
    "Sagt kurz, was eine frühere Phase gab; jeder Punkt zeigt sein Zitat.",
  Execute: "Ausführen",
  "Executes the plan step by step; each is reviewed and, if rejected, repeated.":
    "Führt den Plan Schritt für Schritt aus; jeder wird geprüft und, wenn nötig, wiederholt.",
  Do: "Tun",
  "One agent does the task at once, without a plan and without the web.":
    "Ein Agent tut die Aufgabe sofort, ohne Plan und ohne Netz.",
  "Look at the figures": "Zahlen ansehen",
  "Look at the news": "Nachrichten ansehen",
  "Bring both together": "Beides verbinden",
  "Select an idea": "Idee wählen",
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
};
