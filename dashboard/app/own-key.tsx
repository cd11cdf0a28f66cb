// A key that was pasted or just made, for snippets: in this tab of the browser and nowhere else.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useState } from 'preact/hooks'

type OwnKey = { readonly key: string; readonly secret: string }

type Kept = OwnKey & { set(key: OwnKey): void }

const place = 'cairn-own-key'
const nothing: OwnKey = { key: '', secret: '' }
const OwnKeyContext = createContext<Kept>({ ...nothing, set: () => {} })

export function useOwnKey(): Kept {
  return useContext(OwnKeyContext)
}

export function OwnKeyProvider({ children }: { readonly children: ComponentChildren }) {
  const [kept, setKept] = useState(readKept)
  const value = useMemo(
    (): Kept => ({
      ...kept,
      set(next) {
        if (next.key === '' && next.secret === '') sessionStorage.removeItem(place)
        else sessionStorage.setItem(place, JSON.stringify(next))
        setKept(next)
      },
    }),
    [kept],
  )
  return <OwnKeyContext.Provider value={value}>{children}</OwnKeyContext.Provider>
}

function readKept(): OwnKey {
  const text = sessionStorage.getItem(place)
  return text === null ? nothing : (JSON.parse(text) as OwnKey)
}
