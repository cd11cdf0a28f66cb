// Questions to a person, one line each; answers come from the terminal or from a text that was piped in.
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { UsageError } from './usage-error.ts'

export type Prompts = {
  /** The answer without the spaces around it. Throws UsageError when the input has ended, or on Ctrl-C. */
  ask(question: string): Promise<string>
  /** The same, and what is typed is not shown; the spaces around it belong to it. */
  askHidden(question: string): Promise<string>
  close(): void
}

/** `show`: where the question goes, so that standard output holds only what was asked for. */
export function promptTerminal(input: NodeJS.ReadableStream, show: NodeJS.WritableStream): Prompts {
  const output = mutable(show)
  const lines = createInterface({ input, output: output.stream, terminal: true })
  // Lines that were pasted or typed ahead wait for their question.
  const typed: string[] = []
  let ended = false
  let wake = () => {}
  lines.on('line', (line) => {
    typed.push(line)
    wake()
  })
  lines.on('close', () => {
    ended = true
    wake()
  })
  async function next(question: string): Promise<string> {
    lines.setPrompt(question)
    lines.prompt()
    if (typed.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve))
    const answer = typed.shift()
    if (answer !== undefined) return answer
    show.write('\n')
    throw new UsageError('interrupted: nothing was changed')
  }

  return {
    ask: async (question) => (await next(question)).trim(),
    async askHidden(question) {
      show.write(question)
      output.muted = true
      try {
        return await next('')
      } finally {
        output.muted = false
        show.write('\n')
      }
    },
    close: () => lines.close(),
  }
}

/** Passes on what is written to `show`, but while it is muted. */
function mutable(show: NodeJS.WritableStream): { readonly stream: Writable; muted: boolean } {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!output.muted) show.write(chunk)
      done()
    },
  })
  // Lines wrap where those of the terminal do.
  Object.defineProperty(stream, 'columns', { get: () => Reflect.get(show, 'columns') as unknown })
  const output = { stream, muted: false }
  return output
}

/** One answer a line; an empty line takes the default. */
export function promptText(text: string): Prompts {
  const answers = text.split(/\r?\n/)
  if (answers.at(-1) === '') answers.pop()
  function next(question: string): string {
    const answer = answers.shift()
    if (answer !== undefined) return answer
    throw new UsageError(
      `standard input ended before "${question.trim().split('\n').at(-1)?.trim()}" was answered: send one line per question, or use --yes`,
    )
  }
  return {
    ask: async (question) => next(question).trim(),
    askHidden: async (question) => next(question),
    close: () => {},
  }
}
