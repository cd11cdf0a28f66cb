// The one place that knows colours. They appear on a terminal only: never in a pipe, never with NO_COLOR
// (no-color.org), on anything with FORCE_COLOR, which wins over the rest as it does in Node.
import type { Context } from './context.ts'

const codes = { red: [31, 39], yellow: [33, 39], green: [32, 39], bold: [1, 22] } as const

/** Gives the text back, in colour where the stream takes it. */
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
