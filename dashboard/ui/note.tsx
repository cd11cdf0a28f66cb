// Notes (remark, success, warning, error), loading and empty states.
import type { ComponentChildren } from 'preact'
import type { ApiError } from '../app/api.ts'
import type { Loaded } from '../app/use-loaded.ts'
import { Icon, type IconName } from './icons.tsx'

export function Note({
  tone = 'plain',
  children,
}: {
  readonly tone?: 'plain' | 'good' | 'warn' | 'bad'
  readonly children: ComponentChildren
}) {
  return (
    <div class={`note ${tone}`} {...(tone === 'bad' ? { role: 'alert' as const } : {})}>
      {children}
    </div>
  )
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="unseen">Loading</span>
      <span />
      <span />
      <span />
    </div>
  )
}

/** Begins with a capital letter, unless the first word is a name, such as that of a setting. */
function sentence(message: string): string {
  return /^[a-z]+[ ,]/.test(message) ? message.charAt(0).toUpperCase() + message.slice(1) : message
}

/** Error of a request, with a retry button. */
export function Problem({ error, again }: { readonly error: ApiError; again?(): void }) {
  return (
    <Note tone="bad">
      <p>
        {sentence(error.message)}
        {error.code !== 'offline' && <small class="soft mono"> {error.code}</small>}
      </p>
      {again !== undefined && (
        <button class="button small" type="button" onClick={again}>
          Try again
        </button>
      )}
    </Note>
  )
}

/** Shows the loaded value, the loading state or the error. */
export function Show<Value>({
  loaded,
  children,
}: {
  readonly loaded: Loaded<Value>
  readonly children: (value: Value) => ComponentChildren
}) {
  const { value, error, again } = loaded
  if (value === undefined)
    return error === null ? <Loading /> : <Problem error={error} again={again} />
  return (
    <>
      {error !== null && <Problem error={error} again={again} />}
      {children(value)}
    </>
  )
}

/** Empty state: a heading, a sentence and the next action. */
export function Empty({
  icon,
  title,
  children,
  action,
}: {
  readonly icon?: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly action?: ComponentChildren
}) {
  return (
    <div class="empty">
      {icon !== undefined && <Icon name={icon} size={28} />}
      <h3>{title}</h3>
      {children !== undefined && <p>{children}</p>}
      {action !== undefined && <div class="row">{action}</div>}
    </div>
  )
}
