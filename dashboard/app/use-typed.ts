// Text of a search box, which is applied as the search after a pause.
// Tested by test/browser/files.test.ts, test/browser/audit.test.ts
import { useEffect, useState } from 'preact/hooks'

const typingMs = 250

/** The text as typed. `search`: the applied search, trimmed. */
export function useTyped(
  search: string,
  onSearch: (search: string) => void,
): readonly [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(search)
  useEffect(() => {
    if (text.trim() === search) return
    const timer = setTimeout(() => onSearch(text.trim()), typingMs)
    return () => clearTimeout(timer)
  }, [text, search])
  return [text, setText]
}
