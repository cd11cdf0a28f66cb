// A pasted or new key for the code snippets. It stays in the session storage of this browser tab.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useState } from 'preact/hooks'

type OwnKey = { readonly key: string; readonly secret: string }

type OwnKeyStore = OwnKey & { set(key: OwnKey): void }

const place = 'cairn-own-key'
const nothing: OwnKey = { key: '', secret: '' }
const OwnKeyContext = createContext<OwnKeyStore>({ ...nothing, set: () => {} })

export function useOwnKey(): OwnKeyStore {
  return useContext(OwnKeyContext)
}

export function OwnKeyProvider({ children }: { readonly children: ComponentChildren }) {
  const [stored, setStored] = useState(readStored)
  const value = useMemo(
    (): OwnKeyStore => ({
      ...stored,
      set(next) {
        if (next.key === '' && next.secret === '') sessionStorage.removeItem(place)
        else sessionStorage.setItem(place, JSON.stringify(next))
        setStored(next)
      },
    }),
    [stored],
  )
  return <OwnKeyContext.Provider value={value}>{children}</OwnKeyContext.Provider>
}

function readStored(): OwnKey {
  const text = sessionStorage.getItem(place)
  return text === null ? nothing : (JSON.parse(text) as OwnKey)
}
