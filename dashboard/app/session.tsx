// Who is signed in, the accounts they belong to, and the one that is looked at.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
import { callQuietly, signedOutEvent } from './api.ts'
import { usePlace } from './router.tsx'
import { type Loaded, useLoaded } from './use-loaded.ts'

export type Account = AdminReply<'GET /accounts'>['accounts'][number]

type Found = Omit<AdminReply<'GET /me'>, 'accounts'> & { readonly accounts: readonly Account[] }

export type Session = Found & {
  /** The one that pages of an account are about; null: the person belongs to none. */
  readonly account: Account | null
  chooseAccount(id: string): void
  /** After something changed that is shown in the frame. */
  reload(): void
}

const SessionContext = createContext<Session | null>(null)
const accountPlace = 'cairn-account'

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('there is no session above')
  return session
}

/** The account of a page that is about one. */
export function useAccount(): Account {
  const { account } = useSession()
  if (account === null) throw new Error('there is no account')
  return account
}

/** Looks anew when a call was refused because the session is over; not while it is being looked for. */
export function useFindSession(): Loaded<Found> {
  const isLooking = useRef(false)
  const found = useLoaded(async (signal): Promise<Found> => {
    isLooking.current = true
    try {
      const [me, { accounts }] = await Promise.all([
        callQuietly('GET /me', {}, signal),
        callQuietly('GET /accounts', {}, signal),
      ])
      return { ...me, accounts }
    } finally {
      if (!signal.aborted) isLooking.current = false
    }
  }, [])
  const { again } = found
  useEffect(() => {
    const look = (): void => {
      if (!isLooking.current) again()
    }
    addEventListener(signedOutEvent, look)
    return () => removeEventListener(signedOutEvent, look)
  }, [again])
  return found
}

/** The account that a person starts with: one that they own, else one that they are a member of, else any. */
function ownFirst(accounts: readonly Account[]): Account | null {
  const withRole = (role: Account['role']) => accounts.find((account) => account.role === role)
  return withRole('owner') ?? withRole('member') ?? accounts[0] ?? null
}

export function SessionProvider({
  found,
  reload,
  children,
}: {
  readonly found: Found
  reload(): void
  readonly children: ComponentChildren
}) {
  const { query } = usePlace()
  const [chosen, setChosen] = useState(
    () => query.get('account') ?? localStorage.getItem(accountPlace),
  )
  const session = useMemo((): Session => {
    const { accounts } = found
    return {
      ...found,
      account: accounts.find(({ id }) => id === chosen) ?? ownFirst(accounts),
      chooseAccount(id) {
        localStorage.setItem(accountPlace, id)
        setChosen(id)
      },
      reload,
    }
  }, [found, chosen, reload])
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>
}
