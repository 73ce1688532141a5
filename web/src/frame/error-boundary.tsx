/** Replaces a view that failed to render; the frame around it remains. */

import { Component, type ReactNode } from "react";

import { useWords } from "../strings";

interface Given {
  /** Where one is: another place is tried afresh. */
  place: string;
  children: ReactNode;
}

export class ErrorBoundary extends Component<Given, { isBroken: boolean }> {
  state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  componentDidUpdate(before: Given) {
    if (this.state.isBroken && before.place !== this.props.place) this.setState({ isBroken: false });
  }

  render() {
    return this.state.isBroken ? <Broken /> : this.props.children;
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
