// Whether a text is an object or a list in JSON (RFC 8259), or how such a one begins. One pass, no recursion. Of control
// characters in strings only those that lay text out are refused: the others are in no text that is asked about.
// Tested by src/base/json-prefix.test.ts

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\\t\n\r]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]|$)/y
const cutString =
  /"(?:[^"\\\t\n\r]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*(?:\\(?:u[\da-fA-F]{0,3})?)?$/y
const cutScalar =
  /(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?)?)?)$/y

/** What may stand next; `first…`: or the end of what was opened. */
type Wanted = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma'

/** `isWhole` false: the text goes on behind its end, where it may be cut anywhere. */
export function isJsonText(text: string, isWhole: boolean): boolean {
  const open: ('{' | '[')[] = []
  let wanted: Wanted = 'value'
  let at = skip(space, text, 0) ?? 0
  // Ends: each pass takes a character or returns.
  do {
    const character = text[at] ?? ''
    const opened = open.at(-1)
    const mayEnd = wanted.startsWith('first') || wanted === 'comma'
    const isName = wanted.endsWith('name')
    if (character === '') return !isWhole && opened !== undefined
    if (mayEnd && character === (opened === '{' ? '}' : ']')) {
      open.pop()
      wanted = 'comma'
      at += 1
    } else if (wanted === 'comma' || wanted === 'colon') {
      if (character !== (wanted === 'comma' ? ',' : ':')) return false
      wanted = wanted === 'comma' && opened === '{' ? 'name' : 'value'
      at += 1
    } else if (!isName && (character === '{' || character === '[')) {
      open.push(character)
      wanted = character === '{' ? 'first name' : 'first value'
      at += 1
    } else {
      if (opened === undefined) return false
      const end = skip(string, text, at) ?? (isName ? null : skip(scalar, text, at))
      if (end === null) return !isWhole && isCut(text, at, isName)
      wanted = isName ? 'colon' : 'comma'
      at = end
    }
    at = skip(space, text, at) ?? at
  } while (open.length > 0)
  return at === text.length
}

function isCut(text: string, at: number, isName: boolean): boolean {
  return skip(cutString, text, at) !== null || (!isName && skip(cutScalar, text, at) !== null)
}

/** Where what matches at `at` ends; null when nothing does. */
function skip(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
