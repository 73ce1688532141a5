"""What the models and agents of a test answer, unless it says otherwise."""

from typing import Any

from contracts.base import Json


def cited(text: str, source: int, quote: str) -> Json:
    """Return a claim as a model writes it."""
    return {"text": text, "citations": [{"source": source, "quote": quote}]}


OUTPUTS: dict[str, Json] = {
    "market_sizing": {
        "sizes": [cited("It is 5.", 1, "is 5")],
        "gaps": ["No growth rate."],
    },
    "competition": {
        "competitors": [{"name": "Acme", "claim": cited("Acme sells pumps.", 1, "Acme")}],
        "gaps": ["No prices."],
    },
    "customers": {"segments": [], "gaps": []},
    "strategy": {
        "sections": [
            {
                "heading": "market",
                "claims": [cited("Sell.", 1, "is 5")],
                "sentences": ["market_sizing.s1", "competition.s1"],
            }
        ],
    },
}
"""What each agent of the market crew answers."""

QUOTED = cited("Pumps sell.", 1, "Pumps sell.")
ANSWERS: dict[str, Any] = {
    "Questions": {
        "missing": ["place", "time"],
        "questions": [
            {"question": "Which place?", "context": "Laws differ.", "choices": ["here", "there"]},
            {"question": "Which year?", "context": "Prices differ."},
        ],
    },
    "Decomposition": {
        "missing": ["place", "time"],
        "questions": [
            {"question": "Which place?", "context": "Laws differ.", "choices": ["here", "there"]},
            {"question": "Which year?", "context": "Prices differ."},
        ],
        "expanded_queries": ["pump sales"],
        "outline": ["Market"],
        "assumptions": [],
    },
    "PlanDraft": {
        "title": "Pumps",
        "steps": [{"name": "Market", "description": "Look it up."}],
        "search_terms": ["pumps"],
        "outline": ["Market"],
    },
    "PlanReview": {"accepted": True, "issues": []},
    "Gaps": {"gaps": []},
    "GapPhrases": {"phrases": [{"line": n, "phrases": ["pump sales"]} for n in range(1, 41)]},
    "GapRulings": {"rulings": [{"line": n, "verdict": "not_told", "by": []} for n in range(1, 41)]},
    "Findings": {"findings": [QUOTED]},
    "Summary": {
        "key_points": [QUOTED, {**QUOTED, "text": "And more."}],
    },
    "Analysis": {"points": [QUOTED], "gaps": ["No price."]},
    "Recommendation": {
        "action": "Enter",
        "confidence": 0.7,
        "horizon": "a year",
        "rationale": [QUOTED],
        "risks": [{**QUOTED, "text": "Others sell them too."}],
        "what_would_change": ["A tax."],
    },
    "Review": {"accepted": False, "issues": ["Say more."]},
    "DraftIdeas": {
        "ideas": [{"title": t, "description": f"{t} it.", "why": "Sun."} for t in ("Rent", "Sell")]
    },
    "DraftIdeaReviews": {
        "reviews": [
            {"idea": n, "strengths": ["Cheap."], "weaknesses": [f"Slow as {n}."], "score": 4 + n}
            for n in (1, 2)
        ]
    },
    "StepDraft": lambda request: {
        # A figure that only the summary has: a step that merely cites is reviewed by nobody.
        "summary": f"Pumps sell well. Of 9{request.scope.plan_step[5:]}7 farmers, most say so.",
        "findings": [QUOTED],
    },
    "step_reviewer": {"accepted": True, "issues": []},
    "ShortAnswer": {
        "title": "Pumps, in short",
        "claims": [QUOTED],
    },
    "Report": {
        "title": "Pumps, compared",
        "sections": [
            {
                "heading": "Market",
                "claims": [QUOTED],
            }
        ],
    },
}
