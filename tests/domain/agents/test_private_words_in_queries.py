"""A query may say of the user's own documents only what a human wrote or approved."""

import pytest

from domain.agents.private_words_in_queries import find_disclosed_words

DOCUMENT = """CONFIDENTIAL. Churn was 11.4 % in 2025, up from 8.9 % in 2024. The board wants to sell the Lagos plant
before the strike. The gateway's key is sk-live-98af31. Contact: jo.doe@acme.example, account 40817. Retention,
support, onboarding, billing, contracts, discounts and renewals are reviewed."""
GERMAN = "Die Geschäftsführung erwägt den Verkauf des Werks in Kassel."
CHINESE = "董事会打算在罢工之前出售拉各斯的工厂。"
APPROVED = [
    "How has our churn changed, and how does it compare?",
    '{"search_terms": ["SaaS churn rate"]}',
]


@pytest.mark.parametrize(
    "query",
    [
        "Churn was 11.4 % in 2025, up from 8.9 %",
        "churn 11.4%",
        "what does sk-live-98af31 open",
        "jo.doe@acme.example",
        "account 40817",
        "board wants to sell the Lagos plant",
        "THE BOARD WANTS TO sell",
        "Verkauf des Werks in Kassel",
        "董事会打算在罢工之前出售",
        "retention support onboarding billing contracts discounts renewals",
    ],
)
def test_words_of_own_documents_are_found(query: str) -> None:
    assert find_disclosed_words(query, APPROVED, [DOCUMENT, GERMAN, CHINESE])


@pytest.mark.parametrize(
    "query",
    [
        "SaaS churn rate",
        "average churn rate of SaaS companies 2025",
        "how does churn compare",
        "customer retention benchmark 2024 software",
        "Abwanderung Kunden Software Vergleich 2025",
        "top 10 subscription businesses by churn",
        "软件公司客户流失率",
        "",
    ],
)
def test_words_of_one_s_own_and_of_the_plan_pass(query: str) -> None:
    assert find_disclosed_words(query, APPROVED, [DOCUMENT, GERMAN, CHINESE]) == []


def test_words_that_a_human_approved_may_be_searched_for() -> None:
    query = "board wants to sell the Lagos plant 11.4%"
    assert find_disclosed_words(query, [query], [DOCUMENT]) == []


def test_without_documents_anything_may_be_searched_for() -> None:
    assert find_disclosed_words("churn 11.4%", [], []) == []
