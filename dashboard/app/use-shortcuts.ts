// Keyboard shortcuts of the dashboard: Ctrl K or ⌘K searches, `/` goes to the filter, `g` and a letter opens a page, `j` and `k`
// move through rows, `?` lists the shortcuts. Single keys are off in fields, and if the profile turns them off.
// Tested by test/browser/frame.test.ts
import { useEffect, useRef } from 'preact/hooks'
import { usePlace } from './router.tsx'

const place = 'cairn-no-single-keys'

/** Letters after `g`, and their paths. */
export const goKeys: readonly (readonly [key: string, path: string])[] = [
  ['o', '/'],
  ['k', '/keys'],
  ['f', '/files'],
  ['u', '/usage'],
  ['r', '/requests'],
  ['p', '/proof'],
  ['n', '/networks'],
]

export function usesSingleKeys(): boolean {
  return localStorage.getItem(place) === null
}

export function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(place)
  else localStorage.setItem(place, 'off')
}

/** `open`: opens the search or the list of shortcuts. */
export function useShortcuts(open: (layer: 'search' | 'keys') => void): void {
  const { go } = usePlace()
  /** The last key was `g`. */
  const going = useRef(false)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const { key, target } = event
      if (key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        if (document.querySelector('dialog[open]') === null) open('search')
        return
      }
      const isTyping =
        target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping || !usesSingleKeys()) return
      const path = going.current ? goKeys.find(([letter]) => letter === key)?.[1] : undefined
      going.current = key === 'g'
      if (path !== undefined) return go(path)
      if (key === '?') open('keys')
      else if (key === '/') focusFilter(event)
      else if (key === 'j' || key === 'k') moveInRows(key === 'j' ? 1 : -1)
      else if (key === 'x') toggleRow()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [go, open])
}

function focusFilter(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>('main .searchbox input')
  if (field === null) return
  event.preventDefault()
  field.focus()
}

/** Focuses the link or button that opens the next or previous row. */
function moveInRows(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr')]
  const at = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[at === -1 ? 0 : Math.max(0, Math.min(rows.length - 1, at + step))]
  next?.querySelector<HTMLElement>('.main a, .main button, a, button')?.focus()
}

function toggleRow(): void {
  const row = document.activeElement?.closest('main tbody tr')
  row?.querySelector<HTMLElement>('input[type=checkbox]')?.click()
}
