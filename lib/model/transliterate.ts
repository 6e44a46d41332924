/** Names in Latin, Greek and Cyrillic letters -> a-z, as people of these languages write Latin letters. Pure. */

/** Letters that mean more than their base and its mark: they are replaced before marks are taken off. */
const WHOLE: Record<string, string> = {
  ä: "ae",
  ö: "oe",
  ü: "ue",
  ß: "ss",
  ẞ: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  å: "a",
  ð: "d",
  þ: "th",
  đ: "d",
  ħ: "h",
  ı: "i",
  ł: "l",
  ŋ: "ng",
  ŧ: "t",
  ə: "e",
  й: "y",
};

/** Cyrillic: BGN/PCGN without its signs; Greek: ELOT 743. */
const LETTERS: Record<string, string> = {
  а: "a",
  б: "b",
  в: "v",
  г: "g",
  д: "d",
  е: "e",
  ж: "zh",
  з: "z",
  и: "i",
  к: "k",
  л: "l",
  м: "m",
  н: "n",
  о: "o",
  п: "p",
  р: "r",
  с: "s",
  т: "t",
  у: "u",
  ф: "f",
  х: "kh",
  ц: "ts",
  ч: "ch",
  ш: "sh",
  щ: "shch",
  ъ: "",
  ы: "y",
  ь: "",
  э: "e",
  ю: "yu",
  я: "ya",
  і: "i",
  є: "ye",
  ґ: "g",
  ђ: "dj",
  ј: "j",
  љ: "lj",
  њ: "nj",
  ћ: "c",
  џ: "dz",
  ѕ: "dz",
  α: "a",
  β: "v",
  γ: "g",
  δ: "d",
  ε: "e",
  ζ: "z",
  η: "i",
  θ: "th",
  ι: "i",
  κ: "k",
  λ: "l",
  μ: "m",
  ν: "n",
  ξ: "x",
  ο: "o",
  π: "p",
  ρ: "r",
  σ: "s",
  ς: "s",
  τ: "t",
  υ: "y",
  φ: "f",
  χ: "ch",
  ψ: "ps",
  ω: "o",
};

/** The text in lower case and Latin letters; other characters without Latin letters stay. */
export function transliterate(text: string): string {
  const whole = replaced(text.normalize("NFC").toLowerCase(), WHOLE);
  const bare = whole.normalize("NFKD").replace(/\p{M}/gu, "");
  const pairs = bare.replace(/ου/g, "ou").replace(/([αεη])υ(?=[θκξπσςτφχψ]|$|\P{L})/gu, "$1f")
    .replace(/([αεη])υ/g, "$1v");
  return replaced(pairs, LETTERS);
}

function replaced(text: string, letters: Record<string, string>): string {
  return [...text].map((letter) => Object.hasOwn(letters, letter) ? letters[letter] : letter).join("");
}
