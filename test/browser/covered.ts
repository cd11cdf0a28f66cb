// A check of pages for text that cannot be read.

/** Script: the texts of cells that lie under the buttons of their row. */
export const covered = `[...document.querySelectorAll('td.actions')].flatMap((actions) => {
  const own = actions.getBoundingClientRect()
  return [...actions.parentElement.children].filter((cell) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    const isUnder = (rect) =>
      rect.width > 0 && rect.right > own.left && rect.left < own.right && rect.bottom > own.top && rect.top < own.bottom
    return cell !== actions && [...range.getClientRects()].some(isUnder)
  }).map((cell) => cell.textContent)
})`
