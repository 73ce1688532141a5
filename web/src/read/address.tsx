import type { ReactNode } from "react";
import { Link } from "wouter";

/** Words that lead somewhere, if they do: to a view of ours here, to all else in another tab. */
export function Address({ to, children }: { to: string; children: ReactNode }) {
  if (!to) return children;
  if (to.startsWith("/runs/")) return <Link href={to}>{children}</Link>;
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
