/** What stands in the place of a view that cannot be drawn: the frame around it stays. */

import { Component, type ReactNode } from "react";

import { useWords } from "../strings";

interface Given {
  /** Where one is: another place is tried afresh. */
  place: string;
  children: ReactNode;
}

export class ErrorBoundary extends Component<Given, { brokenAt: string | null }> {
  state = { brokenAt: null };

  static getDerivedStateFromError(): { brokenAt: string } {
    return { brokenAt: location.pathname };
  }

  componentDidUpdate(before: Given) {
    if (this.state.brokenAt !== null && before.place !== this.props.place) this.setState({ brokenAt: null });
  }

  render() {
    return this.state.brokenAt === null ? this.props.children : <Broken />;
  }
}

function Broken() {
  const { t } = useWords();
  return (
    <div className="notice" data-kind="error" role="alert">
      <p>{t("problem.view")}</p>
      <button type="button" onClick={() => location.reload()}>
        {t("state.reload")}
      </button>
    </div>
  );
}
