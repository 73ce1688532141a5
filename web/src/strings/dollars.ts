/** Return a formatter of dollars in a language: two digits after the point, four below a cent. */
export const createUsd = (language: string) => (amount: number) =>
  new Intl.NumberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: amount > 0 && amount < 0.01 ? 4 : 2,
  }).format(amount);
