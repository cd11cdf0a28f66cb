// Components with a copy button: a value, a block of code, a secret that is shown once.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from './icons.tsx'
import { Note } from './note.tsx'

const doneMs = 1_600

export function CopyButton({
  text,
  title = 'Copy',
  label = false,
}: {
  readonly text: string
  /** Title for screen readers: `Copy the key`. */
  readonly title?: string
  /** Shows the title next to the icon. */
  readonly label?: boolean
}) {
  const [done, setDone] = useState(false)
  const copy = async (): Promise<void> => {
    await writeClipboard(text)
    setDone(true)
    setTimeout(() => setDone(false), doneMs)
  }
  return (
    <button
      class={`button small quiet copy${done ? ' done' : ''}`}
      type="button"
      aria-label={label ? undefined : title}
      title={title}
      onClick={() => void copy()}
    >
      <Icon name={done ? 'check' : 'copy'} size={16} />
      {label && <span>{done ? 'Copied' : title}</span>}
      <span class="unseen" role="status">
        {done ? 'Copied' : ''}
      </span>
    </button>
  )
}

/** Pages opened over plain HTTP, except on localhost, have no clipboard API. */
export async function writeClipboard(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text)
    return
  }
  const area = document.createElement('textarea')
  area.value = text
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** One value with its copy button. */
export function Value({ text, title }: { readonly text: string; readonly title?: string }) {
  return (
    <div class="value">
      <span class="mono">{text}</span>
      <CopyButton text={text} {...(title === undefined ? {} : { title })} />
    </div>
  )
}

/** `copied`: text to copy, if it differs from the shown text. */
export function CodeBlock({
  text,
  copied = text,
  title,
  wrapped = false,
}: {
  readonly text: string
  readonly copied?: string
  /** Name of the code, for screen readers. */
  readonly title: string
  readonly wrapped?: boolean
}) {
  return (
    <div class="code">
      <pre class={wrapped ? 'wrapped' : ''} tabIndex={0} role="region" aria-label={title}>
        <code>{text}</code>
      </pre>
      <CopyButton text={copied} title={`Copy ${title}`} />
    </div>
  )
}

/** Secrets that are shown only once. */
export function SecretOnce({
  rows,
  children,
}: {
  readonly rows: readonly { readonly title: string; readonly text: string }[]
  readonly children?: ComponentChildren
}) {
  return (
    <div class="stack">
      <Note tone="warn">
        {children ?? 'Copy this now. Cairn stores only its hash and cannot show it again.'}
      </Note>
      {rows.map(({ title, text }) => (
        <div class="field" key={title}>
          <span class="field-title">{title}</span>
          <Value text={text} title={`Copy the ${title}`} />
        </div>
      ))}
    </div>
  )
}
