/** Documents of one's own: dropped anywhere on the page or picked, read at once, named to the run. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";

import { getMetadata, uploadFile, type OwnFile, type Problem } from "../api/client";
import { useProblemText } from "../parts/notices";
import { Unread } from "../parts/unread";
import { useWords } from "../strings";
import { MOST_FILES } from "./start-choices";

interface Given {
  files: OwnFile[];
  onChange(files: OwnFile[]): void;
}

export function OwnFiles({ files, onChange }: Given) {
  const { t } = useWords();
  const say = useProblemText();
  const metadata = useQuery({ queryKey: ["metadata"], queryFn: getMetadata, staleTime: 60_000 });
  const picker = useRef<HTMLInputElement>(null);
  const [problems, setProblems] = useState<string[]>([]);
  const upload = useMutation({
    mutationFn: async (picked: File[]) => {
      const told: string[] = [];
      let kept = files;
      for (const file of picked) {
        const others = kept.filter((known) => known.name !== file.name);
        if (others.length >= MOST_FILES) {
          told.push(t("ask.files.most", { name: file.name, n: MOST_FILES }));
          continue;
        }
        try {
          kept = [...others, await uploadFile(file)];
        } catch (error) {
          const said = (error as Problem).fields?.[0]?.message ?? say(error as Error);
          told.push(said.includes(file.name) ? said : `${file.name}: ${said}`);
        }
      }
      setProblems(told);
      onChange(kept);
    },
  });
  const take = useEffectEvent((given: FileList | null | undefined) => {
    if (given?.length && !upload.isPending) upload.mutate([...given]);
  });
  useEffect(() => {
    const hold = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && event.preventDefault();
    const drop = (event: DragEvent) => {
      hold(event);
      take(event.dataTransfer?.files);
    };
    window.addEventListener("dragover", hold);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", hold);
      window.removeEventListener("drop", drop);
    };
  }, []);
  return (
    <div className="files">
      <button type="button" className="quiet" disabled={upload.isPending} onClick={() => picker.current?.click()}>
        {t(upload.isPending ? "ask.files.reading" : "ask.files.add")}
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
      {files.length > 0 && (
        <ul className="chips" aria-label={t("ask.files")}>
          {files.map((file) => (
            <li key={file.id} title={file.title}>
              {file.name}
              <button
                type="button"
                className="quiet"
                aria-label={t("ask.files.remove", { name: file.name })}
                onClick={() => onChange(files.filter((known) => known !== file))}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
      {files.map((file) => (
        <Unread key={file.id} name={file.name} parts={file.unread} />
      ))}
      {problems.length > 0 && (
        <div role="alert" className="danger">
          <ul>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
