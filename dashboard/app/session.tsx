// The signed-in person, their accounts, and the selected account.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { ApiError, callQuietly, signedOutEvent } from './api.ts'
import { usePlace } from './router.tsx'
import { type Loaded, useLoaded } from './use-loaded.ts'

export type Account = AdminReply<'GET /accounts'>['accounts'][number]

type Found = Omit<AdminReply<'GET /me'>, 'accounts'> & { readonly accounts: readonly Account[] }

export type Session = Found & {
  /** The selected account, which the account pages show; null: the person belongs to none. */
  readonly account: Account | null
  chooseAccount(id: string): void
  /** Call after a change to data that the frame shows. */
  reload(): void
}

const SessionContext = createContext<Session | null>(null)
const accountPlace = 'cairn-account'

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('there is no session above')
  return session
}

/** The selected account, on a page that requires one. */
export function useAccount(): Account {
  const { account } = useSession()
  if (account === null) throw new Error('there is no account')
  return account
}

/** Loads the session, and again after `signedOutEvent` unless a load is in flight. */
export function useFindSession(): Loaded<Found> {
  const isLoading = useRef(false)
  const found = useLoaded(async (signal): Promise<Found> => {
    isLoading.current = true
    try {
      const [me, { accounts }] = await Promise.all([
        callQuietly('GET /me', {}, signal),
        callQuietly('GET /accounts', {}, signal).catch(noneWhileEnrolling),
      ])
      return { ...me, accounts }
    } finally {
      if (!signal.aborted) isLoading.current = false
    }
  }, [])
  const { again } = found
  useEffect(() => {
    const reload = (): void => {
      if (!isLoading.current) again()
    }
    addEventListener(signedOutEvent, reload)
    return () => removeEventListener(signedOutEvent, reload)
  }, [again])
  return found
}

/** A session that lacks the required second factor has no access to accounts. */
function noneWhileEnrolling(thrown: unknown): AdminReply<'GET /accounts'> {
  if (thrown instanceof ApiError && thrown.code === 'needs_second_factor') return { accounts: [] }
  throw thrown
}

/** The initial account: one that the person owns, else one that they are a member of, else any. */
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
