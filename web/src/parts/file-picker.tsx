/** Files that are picked, or dropped anywhere on the page, and what is wrong with them. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";

import { getMetadata, Problem } from "../api/client";
import { useAllWords, useWords } from "../strings";
import { useProblemText } from "./notices";

interface Given {
  label: string;
  className?: string;
  /** While it is, files are not taken. */
  isBusy: boolean;
  onFiles: (files: File[]) => void;
}

export function FilePicker({ label, className, isBusy, onFiles }: Given) {
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata, staleTime: 60_000 });
  const picker = useRef<HTMLInputElement>(null);
  const take = (given: FileList | null | undefined) => {
    if (given?.length && !isBusy) onFiles([...given]);
  };
  const takeDropped = useEffectEvent(take);
  useEffect(() => {
    const hold = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && event.preventDefault();
    const drop = (event: DragEvent) => {
      hold(event);
      takeDropped(event.dataTransfer?.files);
    };
    window.addEventListener("dragover", hold);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", hold);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return (
    <>
      <button type="button" className={className} disabled={isBusy} onClick={() => picker.current?.click()}>
        {label}
      </button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={metadata.data?.file_suffixes.join()}
        onChange={(event) => {
          take(event.target.files);
          event.target.value = "";
        }}
      />
    </>
  );
}

/** A file that was refused, and why. */
export interface FileProblem {
  name: string;
  error: Error;
}

export function FileProblems({ problems }: { problems: FileProblem[] }) {
  return problems.length > 0 && <Refusals problems={problems} />;
}

function Refusals({ problems }: { problems: FileProblem[] }) {
  const { say } = useWords();
  useAllWords();
  const describe = useProblemText();
  const texts = problems.map(({ name, error }) => {
    const [field] = error instanceof Problem ? error.fields : [];
    return field ? say(field, field.message) : `${name}: ${describe(error)}`;
  });
  return (
    <div role="alert" className="danger">
      <ul>
        {texts.map((text, n) => (
          <li key={n}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
