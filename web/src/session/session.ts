import { useQuery } from "@tanstack/react-query";

import { getSession } from "../api/client";
import { enterAs } from "./belongings";

/** This browser's session; other users' stored input is removed before it is known. */
export const useSession = () => useQuery({ queryKey: ["session"], queryFn: enter });

async function enter() {
  const session = await getSession();
  enterAs(session.user_id ?? "");
  return session;
}
