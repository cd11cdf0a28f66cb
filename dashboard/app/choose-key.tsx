// Selects the key that a page uses for its calls: the active keys of the account, last selected first.
// Tested by test/browser/proof.test.ts
import { useState } from 'preact/hooks'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/note.tsx'
import { LongPick, Pick } from '../ui/toolbar.tsx'
import { call } from './api.ts'
import type { KeyPlace } from './as-key.ts'
import { keyName } from './key-name.ts'
import { Link } from './router.tsx'
import { useAccount } from './session.tsx'
import { type Loaded, useLoaded } from './use-loaded.ts'

export type Choices = {
  /** Active keys. */
  readonly keys: readonly { readonly id: string; readonly title: string }[]
  /** Names, default first. */
  readonly networks: readonly string[]
  /** By network name. `chainId`: decimal. */
  readonly details: ReadonlyMap<string, { readonly chainId: string; readonly embedded: boolean }>
}

export function useChoices(): Loaded<Choices> {
  const account = useAccount()
  return useLoaded(
    async (signal) => {
      const [{ keys }, { networks }] = await Promise.all([
        call('GET /accounts/{account}/keys', { account: account.id }, signal),
        call('GET /status', {}, signal),
      ])
      const now = Date.now()
      const working = keys.filter(
        ({ revoked, expires }) => revoked === null && (expires === null || expires > now),
      )
      return {
        keys: working.map((key) => ({
          id: key.id,
          title: key.name === '' ? keyName(key) : `${key.name} (${key.prefix}…)`,
        })),
        networks: networks.map(({ name }) => name),
        details: new Map(
          networks.map(({ name, chainId, embedded }) => [name, { chainId, embedded }]),
        ),
      }
    },
    [account.id],
  )
}

const keyPlaceName = 'cairn-key'

/** The selected key and network. `place` is null if the account has no active key. `requested`: key ID in the page's URL. */
export function useKeyChoice(
  { keys, networks }: Choices,
  requested: string | null = null,
): {
  readonly place: KeyPlace | null
  readonly network: string
  choose(key: string): void
  chooseNetwork(name: string): void
} {
  const account = useAccount()
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(keyPlaceName) ?? '')
  const [network, setNetwork] = useState(networks[0] ?? '')
  const existingId = (wanted: string | null) => keys.find(({ id }) => id === wanted)?.id
  const key = existingId(requested) ?? existingId(chosen) ?? keys[0]?.id ?? null
  return {
    place: key === null ? null : { account: account.id, key },
    network,
    choose(id) {
      sessionStorage.setItem(keyPlaceName, id)
      setChosen(id)
    },
    chooseNetwork: setNetwork,
  }
}

/** Shown instead of a page that needs a key. */
export function NoKey({ title }: { readonly title: string }) {
  return (
    <Card>
      <Empty title={title} action={<Link to="/keys">Create key</Link>} />
    </Card>
  )
}

type PickProps = {
  readonly choices: Choices
  readonly choice: ReturnType<typeof useKeyChoice>
}

export function NetworkPick({ choices, choice }: PickProps) {
  return (
    <Pick
      title="Network"
      value={choice.network}
      options={choices.networks.map((name) => ({ value: name, title: name }))}
      onValue={choice.chooseNetwork}
    />
  )
}

export function KeyPick({
  choices,
  choice,
  title = 'Ask as',
}: PickProps & { readonly title?: string }) {
  const options = choices.keys.map(({ id, title: name }) => ({ value: id, title: name }))
  const value = choice.place?.key ?? ''
  return (
    <LongPick
      title={title}
      value={value}
      unset={options[0]?.value}
      options={options}
      onValue={choice.choose}
    />
  )
}
