// The loop that answers the page. The matcher stands above it as the function fixbookMatcher (assets.py puts both into one script).
//
// From the page: {book} once, then {text, lang, skip} for each paste; `skip` lists the names of patterns that are not to be run.
//                {file: ArrayBuffer} asks for the text of a file, in whatever encoding it is.
// To the page:   {busy: name} before work that may run away, so that the page can name it and end this worker;
//                then {report}, what Report.to_json() of the Python program gives, or {error: words};
//                {text} of a file.

let book = null;
let made = null;

self.onmessage = ({ data }) => {
  if (data.book) {
    book = data.book;
    return;
  }
  try {
    self.postMessage(data.file ? { text: matcher().textOf(book, new Uint8Array(data.file)) } : { report: answer(data) });
  } catch (error) {
    self.postMessage({ error: String((error && error.message) || error) });
  }
};

function matcher() {
  if (typeof fixbookMatcher !== 'function') throw new Error('missing');
  made ??= fixbookMatcher();
  return made;
}

function answer({ text, lang, skip = [] }) {
  const busy = (name) => self.postMessage({ busy: name });
  return matcher().diagnose(book, text, { lang, skip: new Set(skip), busy });
}
