"""Raw issues become themes, seeds, trees and solutions."""
