"""What the models and agents of a test answer, unless it says otherwise."""

from contracts.base import Json

OUTPUTS: dict[str, Json] = {
    "market_sizing": {
        "sizes": [{"text": "It is 5.", "value": "5", "year": "", "source": 1, "quote": "is 5"}],
        "gaps": ["No growth rate."],
    },
    "competition": {
        "competitors": [{"name": "Acme", "text": "Sells pumps.", "source": 2, "quote": "Acme"}],
        "gaps": ["No prices."],
    },
    "customers": {"segments": [], "gaps": []},
    "strategy": {
        "opportunities": [{"text": "Sell.", "citations": [{"source": 1, "quote": "is 5"}]}],
        "risks": [],
    },
}
"""What each agent of the market crew answers."""

QUOTED: Json = {"text": "Pumps sell.", "citations": [{"source": 1, "quote": "Pumps sell."}]}
ANSWERS: dict[str, Json] = {
    "Questions": {
        "questions": [
            {"question": "Which place?", "context": "Laws differ.", "choices": ["here", "there"]},
            {"question": "Which year?", "context": "Prices differ."},
        ]
    },
    "Decomposition": {
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
        "steps": [{"name": "Look", "description": "Look it up."}],
        "search_terms": ["pumps"],
        "outline": ["Market"],
    },
    "PlanReview": {"accepted": True, "issues": []},
    "Gaps": {"gaps": []},
    "Findings": {"findings": [{"text": "Pumps sell.", "source": 1, "quote": "Pumps sell."}]},
    "DraftSummary": {
        "text": "Pumps sell.",
        "key_points": [QUOTED, {**QUOTED, "text": "And more."}],
    },
    "DraftAnalysis": {"text": "They sell.", "points": [QUOTED], "gaps": ["No price."]},
    "DraftDecision": {
        "action": "Enter",
        "confidence": 0.7,
        "horizon": "a year",
        "rationale": [QUOTED],
        "risks": [],
        "what_would_change": ["A tax."],
    },
    "Review": {"accepted": False, "issues": ["Say more."]},
    "DraftIdeas": {
        "ideas": [{"title": t, "description": f"{t} it.", "why": "Sun."} for t in ("Rent", "Sell")]
    },
    "DraftIdeaReviews": {
        "reviews": [
            {"idea": n, "strengths": ["Cheap."], "weaknesses": ["Slow."], "score": 4 + n}
            for n in (1, 2)
        ]
    },
    "StepDraft": {
        "summary": "Pumps sell well.",
        "findings": [{"text": "Pumps sell.", "source": 1, "quote": "Pumps sell."}],
    },
    "StepReview": {"done": True, "reasons": []},
    "Entailments": {"verdicts": [{"claim": 1, "entailed": True}]},
    "DraftText": {
        "title": "Pumps, in short",
        "claims": [{"text": "Pumps sell.", "citations": [{"source": 1, "quote": "Pumps sell."}]}],
    },
    "DraftReport": {
        "title": "Pumps, compared",
        "sections": [
            {
                "heading": "Market",
                "claims": [
                    {"text": "Pumps sell.", "citations": [{"source": 1, "quote": "Pumps sell."}]}
                ],
            }
        ],
    },
}
