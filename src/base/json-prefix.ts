// Checks if a text is, or is the prefix of, a JSON object or list (RFC 8259). One pass, no recursion. In strings it refuses only
// layout control characters; callers exclude the others.
// Tested by src/base/json-prefix.test.ts

const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\\t\n\r]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?=[\s,\]}]|$)/y
const cutString =
  /"(?:[^"\\\t\n\r]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*(?:\\(?:u[\da-fA-F]{0,3})?)?$/y
const cutScalar =
  /(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?)?)?)$/y

/** Expected next token. `first…`: the end of the object or list is also allowed. */
type Expected = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'comma'

/** `isWhole` false: the text may be cut off at any position. */
export function isJsonText(text: string, isWhole: boolean): boolean {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'value'
  let at = skip(space, text, 0) ?? 0
  // Terminates: each pass consumes a character or returns.
  do {
    const character = text[at] ?? ''
    const opened = open.at(-1)
    const mayEnd = expected.startsWith('first') || expected === 'comma'
    const isName = expected.endsWith('name')
    if (character === '') return !isWhole && opened !== undefined
    if (mayEnd && character === (opened === '{' ? '}' : ']')) {
      open.pop()
      expected = 'comma'
      at += 1
    } else if (expected === 'comma' || expected === 'colon') {
      if (character !== (expected === 'comma' ? ',' : ':')) return false
      expected = expected === 'comma' && opened === '{' ? 'name' : 'value'
      at += 1
    } else if (!isName && (character === '{' || character === '[')) {
      open.push(character)
      expected = character === '{' ? 'first name' : 'first value'
      at += 1
    } else {
      if (opened === undefined) return false
      const end = skip(string, text, at) ?? (isName ? null : skip(scalar, text, at))
      if (end === null) return !isWhole && isCut(text, at, isName)
      expected = isName ? 'colon' : 'comma'
      at = end
    }
    at = skip(space, text, at) ?? at
  } while (open.length > 0)
  return at === text.length
}

function isCut(text: string, at: number, isName: boolean): boolean {
  return skip(cutString, text, at) !== null || (!isName && skip(cutScalar, text, at) !== null)
}

/** End of the match at `at`; null if none. */
function skip(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}
