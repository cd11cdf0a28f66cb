// Colours for terminals. Off in a pipe and with NO_COLOR (no-color.org), always on with FORCE_COLOR, which takes precedence as in
// Node.
import type { Context } from './context.ts'

const codes = { red: [31, 39], yellow: [33, 39], green: [32, 39], bold: [1, 22] } as const

/** Returns the text, in colour if the stream supports it. */
export type Paint = (style: keyof typeof codes, text: string) => string

export function createPaint(context: Context, stream: 'out' | 'err'): Paint {
  if (!takesColour(context, stream)) return (_style, text) => text
  return (style, text) => {
    const [on, off] = codes[style]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }
}

function takesColour({ env, terminal }: Context, stream: 'out' | 'err'): boolean {
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  if ((env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb') return false
  return terminal?.[stream] ?? false
}
