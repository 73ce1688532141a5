import { useQuery } from "@tanstack/react-query";

import { getSession } from "../api/client";
import { enterAs } from "./belongings";

/** Whose session this browser has; what another one wrote here is gone before it is known. */
export const useSession = () => useQuery({ queryKey: ["session"], queryFn: enter });

async function enter() {
  const session = await getSession();
  enterAs(session.user_id ?? "");
  return session;
}
