"""All notes on a company's figures, in the order in which they are shown."""

from collections.abc import Sequence

from contracts.company.figures import FigureGap
from contracts.notices import Notice
from domain.company.figures.accounts.accounts import Accounts
from domain.company.figures.notes.balance_sheet.accounting_changes import note_accounting_changes
from domain.company.figures.notes.balance_sheet.balance_sheet import (
    note_debt_range,
    note_deferred_costs,
    note_equity,
    note_holdings,
    note_preference,
    note_secured_debt,
    note_tangible_book,
    note_unearned_shares,
)
from domain.company.figures.notes.balance_sheet.obligations import note_obligations
from domain.company.figures.notes.balance_sheet.shares import (
    note_basic_shares,
    note_count_apart,
    note_implied_count,
    note_shares_by_days,
    note_splits,
)
from domain.company.figures.notes.cash_flow import (
    note_interest_paid,
    note_lease_payments,
    note_net_cash,
    note_spending,
    note_unpaid_spending,
    note_whole_flows,
)
from domain.company.figures.notes.disclosures import (
    NamedAmounts,
    list_to_date,
    note_accounts,
    note_changed_tags,
    note_gaps,
    note_gaps_of_metrics,
    note_mixed_bases,
    note_restatements,
    note_unlike,
)
from domain.company.figures.notes.dividends import (
    note_cash_dividends,
    note_charged_dividends,
    note_dividend_cover,
    note_dividend_run,
    note_dividends,
    note_first_dividend,
    note_minority_dividends,
    note_net_buybacks,
    note_preferred_charge,
    note_preferred_returns,
)
from domain.company.figures.notes.earnings import (
    note_coverage,
    note_discontinued_depreciation,
    note_earnings,
    note_earnings_range,
    note_odd_quarter,
    note_one_offs,
    note_property_gains,
    note_provision,
    note_quarter_beside,
)
from domain.company.figures.notes.filed_otherwise import note_filed_otherwise
from domain.company.figures.notes.growth.growth import (
    note_bank_bases,
    note_between,
    note_period,
    note_sequence,
)
from domain.company.figures.notes.lines.bridge import list_rests, note_rests
from domain.company.figures.notes.lines.cash_flow_lines import note_cash_flow_lines, note_trading
from domain.company.figures.notes.lines.charges import find_charges, note_charges, note_no_costs
from domain.company.figures.notes.lines.components import note_components
from domain.company.figures.notes.lines.deals import note_deals
from domain.company.figures.notes.lines.movers import note_held
from domain.company.figures.notes.periods import list_newest, list_spans


def write_notes(accounts: Accounts, shown: NamedAmounts, gaps: Sequence[FigureGap]) -> list[Notice]:
    """Return the notes on the figures that are shown, and on those that are not."""
    first = min((amount.start or amount.end for _, amount in shown), default="")
    rests, charges = list_rests(accounts, [*list_newest(accounts)]), find_charges(accounts)
    return [
        *note_accounts(accounts),
        *note_gaps(accounts),
        *(note for period in list_newest(accounts) for note in note_period(accounts, *period)),
        *note_whole_flows(accounts),
        *note_interest_paid(accounts),
        *note_lease_payments(accounts),
        *note_quarter_beside(accounts),
        *note_coverage(accounts),
        *note_odd_quarter(accounts),
        *note_first_dividend(accounts),
        *note_provision(accounts),
        *note_sequence(accounts),
        *note_bank_bases(accounts),
        *note_between(accounts),
        *note_earnings(accounts),
        *note_earnings_range(accounts),
        *note_unearned_shares(accounts),
        *note_tangible_book(accounts),
        *note_deferred_costs(accounts),
        *note_unlike(accounts),
        *note_secured_debt(accounts),
        *note_accounting_changes(accounts),
        *note_equity(accounts),
        *note_preference(accounts),
        *note_dividends(accounts),
        *note_cash_dividends(accounts),
        *note_charged_dividends(accounts),
        *note_minority_dividends(accounts),
        *note_cash_flow_lines(accounts),
        *note_trading(accounts),
        *note_components(accounts, [*list_newest(accounts)]),
        *note_deals(accounts),
        *note_spending(accounts),
        *note_unpaid_spending(accounts),
        *note_property_gains(accounts),
        *note_discontinued_depreciation(accounts),
        *note_one_offs(accounts),
        *note_rests(accounts, rests),
        *note_charges(accounts, charges),
        *note_no_costs(accounts),
        *note_held(
            accounts,
            list_spans(accounts),
            {span: (each.bridge.rest, bool(each.facts)) for span, each in rests.items()},
            charges,
        ),
        *note_preferred_charge(accounts),
        *note_preferred_returns(accounts),
        *note_dividend_cover(accounts),
        *note_dividend_run(accounts),
        *note_net_buybacks(accounts),
        *note_debt_range(accounts),
        *note_implied_count(accounts),
        *note_holdings(accounts),
        *note_obligations(accounts),
        *note_net_cash(accounts),
        *note_splits(accounts.basis, first),
        *note_count_apart(accounts),
        *note_basic_shares(accounts),
        *note_shares_by_days(accounts),
        *note_changed_tags(shown),
        *note_restatements(shown, accounts.currency),
        *note_mixed_bases(accounts),
        *note_filed_otherwise(accounts, gaps, {name for name, _ in shown}),
        *note_gaps_of_metrics(shown, gaps, {name for name, _ in list_to_date(accounts)}),
    ]
