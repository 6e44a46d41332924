/** A channel's number, typed digit by digit. */

/** Waits this long for another digit. */
const WAIT_MS = 1500;

export interface NumberEntry {
  isTyping(): boolean;
  add(digit: number): void;
  /** Takes the number as it is, without waiting for more. */
  finish(): void;
  cancel(): void;
}

/** @param typed gets the digits so far. @param entered gets the number. */
export function numberEntry(typed: (digits: string) => void, entered: (number: number) => void): NumberEntry {
  let digits = "";
  let timer: ReturnType<typeof setTimeout> | undefined;

  function finish() {
    const number = Number(digits);
    cancel();
    entered(number);
  }

  function cancel() {
    clearTimeout(timer);
    digits = "";
  }

  return {
    isTyping: () => digits !== "",
    add(digit) {
      clearTimeout(timer);
      digits += digit;
      typed(digits);
      timer = setTimeout(finish, WAIT_MS);
    },
    finish,
    cancel,
  };
}
