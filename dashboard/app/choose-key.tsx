// Selects the key that a page uses for its calls: the active keys of the account, last selected first.
// Tested by test/browser/proof.test.ts, test/browser/full.test.ts
import { useState } from 'preact/hooks'
import { Card } from '../ui/card.tsx'
import { Empty } from '../ui/note.tsx'
import { LongPick, Pick } from '../ui/toolbar.tsx'
import { call } from './api.ts'
import type { KeyPlace } from './as-key.ts'
import { type KeyOptions, loadKeyOptions } from './key-options.ts'
import { Link } from './router.tsx'
import { useAccount } from './session.tsx'
import { type Loaded, useLoaded } from './use-loaded.ts'

export type Choices = {
  /** Active keys. */
  readonly keys: KeyOptions
  /** Names, default first. */
  readonly networks: readonly string[]
  /** By network name. `chainId`: decimal. */
  readonly details: ReadonlyMap<string, { readonly chainId: string; readonly embedded: boolean }>
}

const keyPlaceName = 'cairn-key'

/** `requested`: key ID in the page's URL. */
export function useChoices(requested: string | null = null): Loaded<Choices> {
  const account = useAccount()
  return useLoaded(
    async (signal) => {
      const wanted = [requested ?? '', sessionStorage.getItem(keyPlaceName) ?? '']
      const [keys, { networks }] = await Promise.all([
        loadKeyOptions(account.id, { active: true, wanted }, signal),
        call('GET /status', {}, signal),
      ])
      return {
        keys,
        networks: networks.map(({ name }) => name),
        details: new Map(
          networks.map(({ name, chainId, embedded }) => [name, { chainId, embedded }]),
        ),
      }
    },
    [account.id, requested],
  )
}

/** The selected key and network. `place` is null if the account has no active key. `requested`: as in `useChoices`. */
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
  const [chosen, setChosen] = useState(() => sessionStorage.getItem(keyPlaceName))
  const [network, setNetwork] = useState(networks[0] ?? '')
  const existing = (id: string | null) => (id !== null && keys.titleOf(id) !== null ? id : null)
  const key = existing(requested) ?? existing(chosen) ?? keys.options[0]?.id ?? null
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
  return (
    <KeyField
      title={title}
      keys={choices.keys}
      value={choice.place?.key ?? ''}
      onValue={choice.choose}
    />
  )
}

/** Selects a key. `all`: title of the choice of no key, whose value is `''`. */
export function KeyField({
  title,
  keys: { options, find },
  value,
  all = null,
  unset,
  onValue,
}: {
  readonly title: string
  readonly keys: KeyOptions
  readonly value: string
  readonly all?: string | null
  /** Value without a tint; absent: the first. */
  readonly unset?: string
  onValue(id: string): void
}) {
  const toOptions = (keys: KeyOptions['options']) => [
    ...(all === null ? [] : [{ value: '', title: all }]),
    ...keys.map((key) => ({ value: key.id, title: key.title })),
  ]
  return (
    <LongPick
      title={title}
      value={value}
      unset={unset}
      options={toOptions(options)}
      find={
        find === null
          ? null
          : async (text) => {
              const found = await find(text)
              const isAll = all !== null && all.startsWith(text.trim().toLowerCase())
              return isAll ? toOptions(found) : toOptions(found).filter((one) => one.value !== '')
            }
      }
      onValue={onValue}
    />
  )
}
