import { useWords } from "../strings";
import "./new-rows.css";

interface Given {
  n: number;
  /** The list is one of several panes, in whose corner it is. */
  isInPane?: boolean;
  onShow: () => void;
}

/** Says how many rows a list holds back, over what is there; it takes no room, so nothing moves when it comes. */
export function NewRows({ n, isInPane, onShow }: Given) {
  const { t } = useWords();
  return (
    <div className="new-rows" role="status" data-in-pane={isInPane}>
      {n > 0 && (
        <button type="button" onClick={onShow}>
          {t("list.new", { n })}
        </button>
      )}
    </div>
  );
}
