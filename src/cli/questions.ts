// Questions to a person, one line each; answers come from the terminal or from a text that was piped in.
import { createInterface } from 'node:readline'
import { UsageError } from './usage-error.ts'

export type Questions = {
  /** The answer without the spaces around it. Throws UsageError when the input has ended, or on Ctrl-C. */
  ask(question: string): Promise<string>
  close(): void
}

/** `show`: where the question goes, so that standard output holds only what was asked for. */
export function askTerminal(input: NodeJS.ReadableStream, show: NodeJS.WritableStream): Questions {
  const lines = createInterface({ input, output: show, terminal: true })
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
  return {
    async ask(question) {
      lines.setPrompt(question)
      lines.prompt()
      if (typed.length === 0 && !ended) await new Promise<void>((resolve) => (wake = resolve))
      const answer = typed.shift()
      if (answer !== undefined) return answer.trim()
      show.write('\n')
      throw new UsageError('the questions were broken off: nothing was changed')
    },
    close: () => lines.close(),
  }
}

/** One answer a line; an empty line takes the default. */
export function askText(text: string): Questions {
  const answers = text.split(/\r?\n/)
  if (answers.at(-1) === '') answers.pop()
  return {
    async ask(question) {
      const answer = answers.shift()
      if (answer !== undefined) return answer.trim()
      throw new UsageError(
        `standard input ended before "${question.trim().split('\n').at(-1)?.trim()}" was answered: give one line for each question, or --yes`,
      )
    },
    close: () => {},
  }
}
