/** Files that are picked, or dropped anywhere on the page, and what is wrong with them. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";

import { getMetadata, type Problem } from "../api/client";
import { useProblemText } from "./notices";
import { useFailureText } from "./read-failure";

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

/** Return what names a file that was refused, and why. */
export function useFileProblem(): (file: File, error: unknown) => string {
  const say = useProblemText();
  const word = useFailureText();
  return (file, error) => {
    const field = (error as Problem).fields?.[0];
    if (field?.failure) return `${file.name} ${word(field.failure)}`;
    const said = field?.message ?? say(error as Error);
    return said.includes(file.name) ? said : `${file.name}: ${said}`;
  };
}

export function FileProblems({ problems }: { problems: string[] }) {
  if (problems.length === 0) return null;
  return (
    <div role="alert" className="danger">
      <ul>
        {problems.map((problem) => (
          <li key={problem}>{problem}</li>
        ))}
      </ul>
    </div>
  );
}
