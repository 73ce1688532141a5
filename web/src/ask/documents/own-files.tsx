/** Documents of one's own: dropped anywhere on the page or picked, read at once, named to the run. */

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import { Problem, uploadFile, type OwnFile } from "../../api/client";
import { FilePicker, FileProblems, type FileProblem } from "../../parts/file-picker";
import { Unread } from "../../parts/text/unread";
import { useWords, withWords } from "../../strings";
import { MOST_FILES } from "../start-choices";

interface Given {
  files: OwnFile[];
  onChange: (files: OwnFile[]) => void;
}

export function OwnFiles({ files, onChange }: Given) {
  const { t } = useWords();
  const [problems, setProblems] = useState<FileProblem[]>([]);
  const upload = useMutation({
    mutationFn: async (picked: File[]) => {
      await withWords(Promise.resolve()); // the first view comes without those of failures and unread parts
      const told: FileProblem[] = [];
      let kept = files;
      for (const file of picked) {
        const others = kept.filter((known) => known.name !== file.name);
        if (others.length >= MOST_FILES) {
          const most = { code: "run-files-many", params: { n: MOST_FILES } };
          told.push({ name: file.name, error: new Problem("invalid-input", "", 0, [], most) });
          continue;
        }
        try {
          kept = [...others, await uploadFile(file)];
        } catch (error) {
          told.push({ name: file.name, error: error as Error });
        }
      }
      setProblems(told);
      onChange(kept);
    },
  });
  return (
    <div className="files">
      <FilePicker
        label={t(upload.isPending ? "ask.files.reading" : "ask.files.add")}
        className="quiet"
        isBusy={upload.isPending}
        onFiles={upload.mutate}
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
      <FileProblems problems={problems} />
    </div>
  );
}
